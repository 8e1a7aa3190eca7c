/** Reads PromQL expressions as far as a check of names needs it. */

/** What an expression reads. */
interface Use {
  /** As in the expression; of a histogram with its suffix. */
  readonly metric: string;
  /** The labels that it selects by. */
  readonly labels: readonly string[];
}

/** Our metrics and those of the process. Prometheus adds others, `up` for example. */
const metricForm = /\b((?:stowage|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;

/** The metrics in an expression. */
export function usesIn(expression: string): readonly Use[] {
  return Array.from(expression.matchAll(metricForm), ([, metric = "", selectors = ""]) => ({
    metric,
    labels: Array.from(selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g), ([, label = ""]) => label),
  }));
}

/** The labels that an expression groups by. */
export function groupingIn(expression: string): readonly string[] {
  const lists = Array.from(
    expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g),
    ([, list = ""]) => list,
  );
  return lists.flatMap((list) => list.split(",").map((label) => label.trim()));
}

/** The expressions of a file of alerting rules, by the name of the alert. */
export function expressionsOfRules(yaml: string): ReadonlyMap<string, string> {
  const rules = yaml.matchAll(/- alert: (\w+)\n +expr: ([\s\S]*?)\n +(?:for|labels):/g);
  return new Map(Array.from(rules, ([, alert = "", expression = ""]) => [alert, expression]));
}

/** The expressions of a Grafana dashboard, by the title of the panel. */
export function expressionsOfDashboard(json: string): ReadonlyMap<string, string> {
  const { panels } = JSON.parse(json) as { panels: Panel[] };
  const shown = panels.filter(({ targets }) => targets !== undefined);
  return new Map(
    shown.map(({ title, targets = [] }) => [title, targets.map(({ expr }) => expr).join("\n")]),
  );
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
