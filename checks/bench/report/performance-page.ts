/** The pages that keep the last figures of every benchmark: the whole run, and its summary. */

/** The page with these figures between the marks of the benchmark, in place of its last ones. */
export function withFigures(page: string, benchmark: string, figures: string): string {
  const place = new RegExp(
    `(?<=<!-- bench:${benchmark} -->\n).*?(?=<!-- /bench:${benchmark} -->)`,
    "s",
  );
  if (!place.test(page)) {
    throw new Error(`Cannot keep the figures of ${benchmark}: the page has no place for them`);
  }
  return page.replace(place, () => `\n${figures.trim()}\n\n`);
}

/**
 * The first paragraph, which tells how the run was made, and the most important figures: the goals,
 * if there is such a section, or else all tables, the long ones in short.
 */
export function summaryOf(figures: string): string {
  const [conditions = ""] = figures.split("\n\n", 1);
  const goals = figures.indexOf("**Goals**");
  const rest = figures.slice(goals < 0 ? conditions.length : goals).trim();
  return `${conditions}\n\n${rest.replace(/(?:^\|.*\n?)+/gm, shortened)}`;
}

/** Every report begins with its most important figures. */
const leadingRows = 6;
const longTableRows = 20;

/** The first rows of a long table, and those that miss their goal. */
function shortened(table: string): string {
  const [titles = "", rule = "", ...rows] = table.trimEnd().split("\n");
  if (rows.length <= longTableRows) return table;
  const kept = rows.filter((row, index) => index < leadingRows || row.includes("MISS"));
  const left = rows.length - kept.length;
  const end = table.endsWith("\n") ? "\n" : "";
  return `${[titles, rule, ...kept].join("\n")}\n\nAnd ${left} rows without a miss.${end}`;
}

/** The page of one run: all of its figures. */
export function runPage(benchmark: string, figures: string): string {
  return `# Last run of ${benchmark}\n\n${wrapped(figures.trim())}\n`;
}

const columnsMax = 100;

/** Breaks paragraphs into lines of at most 100 columns, as our Markdown has them; not tables. */
export function wrapped(markdown: string): string {
  return markdown
    .split("\n")
    .map((line) => (line.startsWith("|") ? line : brokenLine(line)))
    .join("\n");
}

function brokenLine(line: string): string {
  const lines = [""];
  for (const word of line.split(" ")) {
    const last = lines.at(-1)!;
    if (last === "") lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length > columnsMax) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}
