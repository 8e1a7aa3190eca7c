/**
 * The rules of trees, applied while the folders arrive in tree order: which folders are shown,
 * marked, truncated by the depth limit, and list uploads; and their totals. Only the folders on the
 * path to the current one are held in memory.
 */
import { keySeparator } from "../model/tree-key.ts";
import type { TreeFilters } from "./request.ts";

/** Number and bytes of uploads. Sums are at most 2^53-1 and therefore exact. */
export interface Totals {
  readonly uploadCount: number;
  readonly sizeBytes: number;
}

/** A folder of the index, with the results of the filters. */
export interface TreeFolder<Content> {
  /** Its tree key, in UTF-8. It may change after the call that passes it. */
  readonly key: Uint8Array;
  readonly content: Content;
  /** The caller may not see its content: it is only an ancestor of folders that the caller may. */
  readonly isAncestorOnly: boolean;
  /** Also true without a path filter. */
  readonly pathMatches: boolean;
  /** An upload directly inside matches the upload filter. Also true without such a filter. */
  readonly hasMatchingUpload: boolean;
  /** The totals of the uploads directly inside. */
  readonly ownTotals: Totals;
  /** The totals of the uploads inside and under it. Undefined: they are added up. */
  readonly subtreeTotals?: Totals | undefined;
}

/** A folder that is shown. */
export interface TreeNode<Content> {
  readonly content: Content;
  readonly isAncestorOnly: boolean;
  readonly matchesFilter: boolean;
  /** The depth limit removed its children. Known when it closes. */
  readonly truncated: boolean;
  /** The totals of the uploads directly inside. */
  readonly ownTotals: Totals;
  /** The totals of the uploads inside and under it. Known when it closes. */
  readonly subtreeTotals: Totals;
}

/** The totals of a folder as the contract's `Rollup`. */
export function rollupOf({ ownTotals, subtreeTotals }: TreeNode<unknown>) {
  return {
    uploadCount: ownTotals.uploadCount,
    sizeBytes: ownTotals.sizeBytes,
    subtreeUploadCount: subtreeTotals.uploadCount,
    subtreeSizeBytes: subtreeTotals.sizeBytes,
  };
}

/** Receives a tree. Folders open and close like brackets, the top one first and last. */
export interface TreeSink<Content> {
  open(node: TreeNode<Content>): void;
  /** An upload directly in the folder that opened last. Uploads come before child folders. */
  upload(upload: Content): void;
  close(node: TreeNode<Content>): void;
}

interface OpenFolder<Content> extends TreeNode<Content> {
  content: Content;
  readonly keyLength: number;
  readonly listsUploads: boolean;
  truncated: boolean;
  readonly subtreeTotals: { uploadCount: number; sizeBytes: number };
  /** Whether the totals of its child folders are part of `subtreeTotals` from the start. */
  readonly hasStoredTotals: boolean;
}

/**
 * Takes the top folder, then all folders under it, and shows the tree to a sink. Throws an error
 * when the folders are not in tree order.
 */
export class TreeWalk<Content> {
  readonly #filters: TreeFilters;
  readonly #sink: TreeSink<Content>;
  readonly #copy: (content: Content) => Content;
  /** From the top to the current folder. The first `#shownCount` of them have been shown. */
  readonly #stack: OpenFolder<Content>[] = [];
  #shownCount = 0;
  /** The key of the current folder, with the rest of longer keys before it. */
  readonly #keyBytes: number[] = [];
  #keyLength = 0;

  /** @param copy copies content, so that it can be shown after later folders have arrived. */
  constructor(filters: TreeFilters, sink: TreeSink<Content>, copy: (content: Content) => Content) {
    this.#filters = filters;
    this.#sink = sink;
    this.#copy = copy;
  }

  /** The next folder. The first one is the top, which is always shown. */
  folder(folder: TreeFolder<Content>): void {
    this.#closeUntilAbove(folder.key);
    const node = openFolder(folder, this.#filters);
    this.#stack.push(node);
    if (this.#stack.length === 1 || isKeptByFilters(folder, this.#filters)) this.#show();
    // It is shown when a folder under it is shown.
    else node.content = this.#copy(node.content);
  }

  /** The next upload directly in the current folder. It matches the upload filter, if any. */
  upload(upload: Content): void {
    const current = this.#stack.at(-1);
    if (current?.listsUploads && this.#shownCount === this.#stack.length) this.#sink.upload(upload);
  }

  /** Ends the tree. Throws `RangeError` if no folder arrived. */
  end(): void {
    if (this.#stack.length === 0) {
      throw new RangeError("Cannot show a tree: got no folder, need the top one");
    }
    while (this.#stack.length > 0) this.#close();
  }

  #closeUntilAbove(key: Uint8Array): void {
    const shared = this.#replaceKey(key);
    while (this.#stack.length > 1) {
      const { keyLength } = this.#stack.at(-1) ?? { keyLength: 0 };
      if (keyLength <= shared && key[keyLength] === keySeparator) return;
      this.#close();
    }
  }

  /** Returns how many bytes the key shares with the previous one, which it must follow. */
  #replaceKey(key: Uint8Array): number {
    const bytes = this.#keyBytes;
    let shared = 0;
    while (shared < key.length && bytes[shared] === key[shared]) shared += 1;
    const isAfter =
      shared < this.#keyLength
        ? (key[shared] ?? -1) > (bytes[shared] ?? 0)
        : key.length > this.#keyLength;
    if (!isAfter && this.#stack.length > 0) {
      throw new Error("Cannot show a tree: a folder does not follow the one before it");
    }
    this.#keyLength = key.length;
    for (let at = shared; at < key.length; at++) bytes[at] = key[at] ?? 0;
    return shared;
  }

  /** Shows the current folder and those above it, down to the depth limit. */
  #show(): void {
    const { depthMax } = this.#filters;
    const levels = depthMax === 0 ? this.#stack.length : depthMax + 1;
    for (const node of this.#stack.slice(this.#shownCount, levels)) {
      this.#shownCount += 1;
      this.#sink.open(node);
    }
    const lowest = this.#stack[this.#shownCount - 1];
    if (lowest !== undefined && this.#shownCount < this.#stack.length) lowest.truncated = true;
  }

  #close(): void {
    const node = this.#stack.pop();
    if (node === undefined) return;
    const above = this.#stack.at(-1);
    if (above !== undefined && !above.hasStoredTotals) {
      above.subtreeTotals.uploadCount += node.subtreeTotals.uploadCount;
      above.subtreeTotals.sizeBytes += node.subtreeTotals.sizeBytes;
    }
    if (this.#shownCount <= this.#stack.length) return;
    this.#shownCount = this.#stack.length;
    this.#sink.close(node);
  }
}

function openFolder<Content>(
  folder: TreeFolder<Content>,
  { path, upload }: TreeFilters,
): OpenFolder<Content> {
  const { content, isAncestorOnly, pathMatches, hasMatchingUpload, ownTotals } = folder;
  const isFiltered = path !== undefined || upload !== undefined;
  return {
    content,
    isAncestorOnly,
    keyLength: folder.key.length,
    matchesFilter: isFiltered && !isAncestorOnly && pathMatches && hasMatchingUpload,
    listsUploads: !isAncestorOnly && pathMatches,
    truncated: false,
    ownTotals,
    subtreeTotals: { ...(folder.subtreeTotals ?? ownTotals) },
    hasStoredTotals: folder.subtreeTotals !== undefined,
  };
}

/** Whether a folder is shown even if no folder under it is shown. */
function isKeptByFilters(
  { isAncestorOnly, pathMatches, hasMatchingUpload }: TreeFolder<unknown>,
  { onlyMatches }: TreeFilters,
): boolean {
  return !isAncestorOnly && pathMatches && (hasMatchingUpload || !onlyMatches);
}
