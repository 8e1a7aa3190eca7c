/** The folders that a search has found. */
import { foldName } from "@stowage/api/names/fold-name";
import { queryOptions } from "@tanstack/react-query";
import type { Address } from "../address/address.ts";
import { isShortQuery } from "../address/address-limits.ts";
import { callJson } from "../api/call-json.ts";
import { writtenValue } from "../query/edit-query.ts";
import { joinParts, readQuery } from "../query/page-query.ts";
import { type FolderEntry, folderEntryOf, type JsonNode } from "./folder-level.ts";

export interface FoundFolders {
  /** Those that have just the name that was searched for first, else by path. */
  readonly folders: readonly FolderEntry[];
  /** Whether more folders were found than these. */
  readonly hasMore: boolean;
}

/** Most folders above the files until the reader asks for all: the files should be in sight. */
export const firstFoldersMax = 5;
/** A folder with just the name that was searched for is put first if it is one of these. */
const foldersMax = 100;

/** Without a query for folders, none are found. */
export function foundFoldersQuery(bucketId: string, address: Address) {
  const query = folderQueryOf(address);
  return queryOptions({
    queryKey: ["folder-level", bucketId, address.folder, "found", query],
    queryFn: ({ signal }) =>
      query === undefined
        ? none
        : findFolders({ bucketRef: { bucketId }, query }, address.folder, signal),
  });
}

const none: FoundFolders = { folders: [], hasMore: false };

/**
 * The query that finds folders under the open folder: words and `in:`. Undefined if it has other
 * filters, which folders do not have, or no word; or if the path of the open folder does not fit.
 */
export function folderQueryOf({ query, folder }: Address): string | undefined {
  const { words, filters, sent } = readQuery(query);
  if (words.length === 0 || filters.some(({ name }) => name !== "in")) return undefined;
  if (folder === "/") return sent;
  const placed = joinParts([sent, `in:${writtenValue(folder)}`]);
  return isShortQuery(placed) ? placed : undefined;
}

interface JsonFound {
  readonly folders?: readonly JsonNode[];
  readonly nextCursor?: string;
}

/** `in:` finds the open folder too, which is no news. */
async function findFolders(
  request: { readonly bucketRef: object; readonly query: string },
  openFolder: string,
  signal: AbortSignal,
): Promise<FoundFolders> {
  const { folders = [], nextCursor = "" } = await callJson<JsonFound>({
    method: "stowage.v1.FoldersService/FindFolders",
    request: { ...request, pageSize: foldersMax },
    signal,
  });
  const others = folders.map(folderEntryOf).filter(({ path }) => path !== openFolder);
  return { folders: withNamesakesFirst(others, request.query), hasMore: nextCursor !== "" };
}

/** First those whose name is all words of the query, or one of them. */
export function withNamesakesFirst(folders: readonly FolderEntry[], query: string): FolderEntry[] {
  const words = readQuery(query).words.map(({ text }) => foldName(text));
  const names = new Set([words.join(" "), ...words]);
  const { namesakes = [], others = [] } = Object.groupBy(folders, ({ name }) =>
    names.has(foldName(name)) ? "namesakes" : "others",
  );
  return [...namesakes, ...others];
}
