/** Requests of ListFolderTree, generated from the records that they query. */
import fc from "fast-check";
import { setByImport } from "../model/complete.ts";
import type { FolderRef, ListFolderTreeRequest } from "../model/list-folder-tree.ts";
import type { Bucket } from "../model/records.ts";
import type { TextFilter } from "../model/text-filter.ts";
import { patternFor, typedPartOf } from "./names.ts";

/** Any valid request, without its bucket. */
export function treeRequests(bucket: Bucket): fc.Arbitrary<ListFolderTreeRequest> {
  const paths = bucket.folders.map(({ path }) => path);
  const uploadNames = bucket.uploads.flatMap(({ filename, slug }) => [filename, slug]);
  return fc.record(
    {
      folder: fc.option(folderRefs(bucket)),
      includeUploads: fc.boolean(),
      pathFilter: fc.option(textFilters(paths)),
      uploadFilter: fc.option(textFilters(uploadNames)),
      onlyMatches: fc.boolean(),
      maxDepth: fc.constantFrom(0, 1, 2, 3, 500, 2147483647),
      includeRollups: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}

function folderRefs(bucket: Bucket): fc.Arbitrary<FolderRef> {
  const paths = bucket.folders.map(({ path }) => path);
  const ids = bucket.folders.map(({ folderId }) => folderId).filter((id) => id !== setByImport);
  const parents = paths.filter((path) => paths.some((other) => other.startsWith(`${path}/`)));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...parents).map((path) => ({ path })) },
    { weight: 1, arbitrary: fc.constantFrom(...paths).map((path) => ({ path: `${path}/` })) },
    { weight: 2, arbitrary: fc.constantFrom(...ids).map((folderId) => ({ folderId })) },
    { weight: 1, arbitrary: fc.constantFrom("/", "", "/none such").map((path) => ({ path })) },
  );
}

/** All four rules, mostly with texts that match something. */
function textFilters(texts: readonly string[]): fc.Arbitrary<TextFilter> {
  const stored = fc.constantFrom(...texts);
  const rule = fc.oneof(
    stored.chain(inAnyCase).map((equals) => ({ equals })),
    stored
      .chain((text) => fc.nat(text.length - 1).map((end) => text.slice(0, end + 1)))
      .filter((prefix) => prefix.isWellFormed())
      .chain(inAnyCase)
      .map((prefix) => ({ prefix })),
    stored.chain(typedPartOf).map((contains) => ({ contains })),
    stored.chain(patternFor).map((glob) => ({ glob })),
    fc.constantFrom({ equals: "" }, { prefix: "" }, { contains: "" }, { glob: "" }, { glob: "*" }),
  );
  return fc.tuple(rule, fc.constantFrom({}, { caseSensitive: true })).map(([chosen, option]) => ({
    ...chosen,
    ...option,
  }));
}

function inAnyCase(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(text, text.toLowerCase(), text.toUpperCase(), text.normalize("NFD"));
}
