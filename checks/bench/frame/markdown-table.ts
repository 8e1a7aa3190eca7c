/** A table that is aligned in a terminal and is a table in Markdown. */
export interface Column<Row> {
  readonly title: string;
  readonly align: "left" | "right";
  readonly cell: (row: Row) => string;
}

export function markdownTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const filled = columns.map(({ title, align, cell }) => {
    const cells = [title, ...rows.map((row) => cell(row).replaceAll("|", "\\|"))];
    const width = Math.max(3, ...cells.map(({ length }) => length));
    const rule = align === "left" ? "-".repeat(width) : `${"-".repeat(width - 1)}:`;
    const [head = "", ...body] = cells.map((text) =>
      align === "left" ? text.padEnd(width) : text.padStart(width),
    );
    return [head, rule, ...body];
  });
  const lines = (filled[0] ?? []).map((_, line) => filled.map((cells) => cells[line]).join(" | "));
  return lines.map((line) => `| ${line} |`).join("\n");
}
