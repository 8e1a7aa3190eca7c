/** Numbers and tables as people read them, in a terminal as well as in Markdown. */

export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString("en-GB");
}

/** Three significant digits, and all digits before the point. */
export function threeDigits(value: number): string {
  return Math.abs(value) >= 100 ? wholeNumber(value) : value.toPrecision(3);
}

/** A Markdown table with aligned columns. Columns of numbers are aligned to the right. */
export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const columns = titles.map((title, index) => {
    const cells = rows.map((row) => (row[index] ?? "").replaceAll("|", "\\|"));
    const isNumeric = cells.some(Boolean) && cells.every((cell) => /^(?:-?\d.*)?$/.test(cell));
    const width = Math.max(3, title.length, ...cells.map(({ length }) => length));
    const rule = isNumeric ? `${"-".repeat(width - 1)}:` : "-".repeat(width);
    const align = (text: string) => (isNumeric ? text.padStart(width) : text.padEnd(width));
    return [align(title), rule, ...cells.map(align)];
  });
  const lines = Array.from({ length: rows.length + 2 }, (_, line) =>
    columns.map((cells) => cells[line]).join(" | "),
  );
  return lines.map((line) => `| ${line} |`).join("\n");
}
