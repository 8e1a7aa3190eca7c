import type { TreeKeyRange } from "../model/tree-key-range.ts";
import type { QueryWord } from "../model/upload-query.ts";
import {
  everyFolder,
  foldersOf,
  invalidQuery,
  narrowedFolders,
  readQuery,
  wordOf,
} from "../query/read-query.ts";

/** Which folders are found. */
export interface FolderQuery {
  /** At least one that is not excluded. */
  readonly words: readonly QueryWord[];
  /** The folders that may be found; undefined for all. */
  readonly folders: readonly TreeKeyRange[] | undefined;
}

/** Throws `ApiError` FIELD_INVALID unless the query has words, and no filter but `in:`. */
export function readFolderQuery(query: string): FolderQuery {
  const words: QueryWord[] = [];
  let folders: readonly TreeKeyRange[] | undefined;
  for (const part of readQuery(query, 0n)) {
    if (part.kind === "word") {
      words.push(wordOf(part));
    } else if (part.kind === "filter" && part.name === "in") {
      folders = narrowedFolders(folders ?? everyFolder, foldersOf(part), part.isExcluded);
    } else {
      throw invalidQuery(`has the filter ${part.name}; folders have none but in:`);
    }
  }
  if (words.every(({ isExcluded }) => isExcluded)) {
    throw invalidQuery("has no word that a folder must have; need at least one");
  }
  return { words, folders };
}
