import type { DescComments } from "@bufbuild/protobuf";

/** JSON names of fields by the names that protobuf has for them. */
export type JsonNames = ReadonlyMap<string, string>;

/**
 * The comment of a protobuf element as Markdown. Comments name fields as protobuf does,
 * `page_size`; who reads JSON knows them by their JSON names, `pageSize`.
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

/** Where a line of source ends but no paragraph: a line break beside which there is no other. */
const lineBreaks = /(?<!\n)\n(?!\n)/g;

/** The first paragraph of a description, without its full stop: a title. */
export function titleOf(description: string): string {
  const [first = ""] = description.split("\n\n");
  return first.replace(/\.$/, "");
}
