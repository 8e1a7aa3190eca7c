/** For tests: what the filters of a query mean, as plain functions over one upload. */
import { foldName } from "@stowage/api/names/fold-name";
import type { IntervalSet } from "@stowage/api/query/intervals";
import { treeKey } from "../../model/tree-key.ts";
import { rangesContain } from "../../model/tree-key-range.ts";
import type { QueryWord, UploadFilters } from "../../model/upload-query.ts";

export interface MatchedUpload {
  readonly path: string;
  readonly filename: string;
  readonly slug: string;
  readonly sizeBytes: bigint;
  readonly type: number;
  readonly createdMicros: bigint;
  readonly updatedMicros: bigint;
}

export function passesFilters(upload: MatchedUpload, filters: UploadFilters): boolean {
  const { words, folders, sizes, created, updated, types, extensions, extensionsExcluded } =
    filters;
  const filename = foldName(upload.filename);
  const endsWithOne = (given: readonly string[]) =>
    given.some((extension) => filename.endsWith(`.${extension}`));
  return (
    words.every((word) => hasWord(upload, word) !== word.isExcluded) &&
    (folders === undefined || rangesContain(folders, treeKey(upload.path))) &&
    isIn(sizes, upload.sizeBytes) &&
    isIn(created, upload.createdMicros) &&
    isIn(updated, upload.updatedMicros) &&
    (types === undefined || types.includes(upload.type)) &&
    (extensions === undefined || endsWithOne(extensions)) &&
    !endsWithOne(extensionsExcluded)
  );
}

export function hasWord(
  { path, filename, slug }: MatchedUpload,
  word: Pick<QueryWord, "text" | "isPattern">,
): boolean {
  const location = `${path === "/" ? "" : foldName(path)}/${foldName(filename)}`;
  const { text, isPattern } = word;
  if (!isPattern) return location.includes(text) || foldName(slug).includes(text);
  const pattern = globPattern(text);
  if (text.includes("/")) return pattern.test(location);
  return pattern.test(foldName(filename)) || pattern.test(foldName(slug));
}

function globPattern(text: string): RegExp {
  const parts = [...text].map((character) => {
    if (character === "*") return ".*";
    return character === "?" ? "." : RegExp.escape(character);
  });
  return new RegExp(`^${parts.join("")}$`, "su");
}

function isIn(set: IntervalSet, value: bigint): boolean {
  return set.some(({ from, to }) => (from ?? value) <= value && value <= (to ?? value));
}
