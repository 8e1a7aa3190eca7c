/** Rows as a table for people: a line of names, then one line a row, in columns. */
export function tableText<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  const lines = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((column) => column(row))),
  ];
  const widths = Object.keys(columns).map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
