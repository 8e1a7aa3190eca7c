import type { DescComments } from "@bufbuild/protobuf";

/** JSON names of fields by their protobuf names. */
export type JsonNames = ReadonlyMap<string, string>;

/**
 * The comment of a protobuf element as Markdown, with fields under their JSON names: `pageSize`
 * where the comment says `page_size`.
 */
export function describe(comments: DescComments, jsonNames: JsonNames): string {
  return (comments.leading ?? "")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim()
    .replace(lineBreaks, " ")
    .replace(/`(\w+)`/g, (literal, name) =>
      jsonNames.has(name) ? `\`${jsonNames.get(name)}\`` : literal,
    );
}

/** A single line break, which does not end a paragraph. */
const lineBreaks = /(?<!\n)\n(?!\n)/g;

/** The first paragraph of a description, without its full stop: a title. */
export function titleOf(description: string): string {
  const [first = ""] = description.split("\n\n");
  return first.replace(/\.$/, "");
}
