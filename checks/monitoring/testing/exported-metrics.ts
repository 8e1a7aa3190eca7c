/** The metrics that a program exports, read from the text of `/metrics`. */

/** The labels of each metric. A histogram is there by its suffixes: `_bucket`, `_sum`, `_count`. */
export type ExportedMetrics = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads texts, of several programs. Only metrics with values are exported. */
export function readMetrics(...texts: readonly string[]): ExportedMetrics {
  const found = new Map<string, Set<string>>();
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = found.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}
