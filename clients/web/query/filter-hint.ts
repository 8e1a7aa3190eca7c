/** What words would be as filters, where they look like some: `videos > 1 GB`, `.pdf 2025`. */
import { readSize } from "@stowage/api/query/read-size";
import { readTime } from "@stowage/api/query/read-time";
import { joinParts, readQuery } from "./page-query.ts";

/** A size may be written as three words: `> 1 GB`. */
const joinedMax = 3;

/** The query with filters instead of such words. Undefined: it has none. */
export function filterHint(query: string): string | undefined {
  const { parts, filters } = readQuery(query);
  const names = new Set<string>(filters.map(({ name }) => name));
  const written = parts.map((part) => part.written);
  let isChanged = false;
  for (let at = 0; at < written.length; at += 1) {
    for (let count = joinedMax; count > 0; count -= 1) {
      const words = written.slice(at, at + count);
      const filter = sizeOf(words.join("")) ?? (count === 1 ? filterOf(words.join("")) : undefined);
      const [name = ""] = filter?.split(":", 1) ?? [];
      if (filter === undefined || names.has(name)) continue;
      names.add(name);
      written.splice(at, count, filter);
      isChanged = true;
    }
  }
  return isChanged ? joinParts(written) : undefined;
}

function sizeOf(words: string): string | undefined {
  const [, comparison = "", size = ""] = /^(>=?|<=?|over|under)(\d.*[kmgtpb])$/i.exec(words) ?? [];
  if (readSize(size) === undefined) return undefined;
  return `size:${comparison.replace(/over/i, ">").replace(/under/i, "<")}${size}`;
}

function filterOf(word: string): string | undefined {
  const type = types.get(word.toLowerCase().replace(/s$/, ""));
  if (type !== undefined) return `type:${type}`;
  if (/^(19|20)\d\d(-\d\d){0,2}$/.test(word) && readTime(word, 0n)) return `changed:${word}`;
  return /^\.[a-z\d]{1,8}$/i.test(word) ? `ext:${word.slice(1)}` : undefined;
}

/** What people call the types, without the `s` of a plural. */
const types: ReadonlyMap<string, string> = new Map([
  ...["image", "picture", "photo"].map((word) => [word, "image"] as const),
  ...["video", "movie", "film"].map((word) => [word, "video"] as const),
  ...["audio", "music", "song"].map((word) => [word, "audio"] as const),
  ["document", "document"],
  ["archive", "archive"],
]);
