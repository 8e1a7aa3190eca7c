/** What the list shows: folders first, then uploads. */
import { type Address, openingOf } from "../address/address.ts";
import type { FolderEntry } from "../folders/folder-level.ts";
import { filtersOf } from "../query/edit-query.ts";
import type { SelectableRow } from "./selection.ts";
import type { TwoEndedList } from "./two-ended-list.ts";
import type { UploadRow } from "./upload-row.ts";

export type ListEntry = FolderEntry | UploadRow;

export function isFolder(entry: ListEntry): entry is FolderEntry {
  return "totals" in entry;
}

/** The change of the address that opens a folder of the list or shows an upload. */
export function openingOfEntry(entry: ListEntry, query: string): Partial<Address> {
  if (isFolder(entry)) return openingInList(entry.path, query);
  return { upload: entry.id };
}

/** The change of the address that opens a folder, in which the filters of the query still hold. */
export function openingInList(folder: string, query: string): Partial<Address> {
  return { ...openingOf(folder), query: filtersOf(query) };
}

/** The uploads before and after one, as far as they are kept. */
export interface Neighbours {
  readonly previous?: UploadRow | undefined;
  readonly next?: UploadRow | undefined;
}

export class ListEntries {
  readonly folders: readonly FolderEntry[];
  readonly list: TwoEndedList<UploadRow>;

  constructor(folders: readonly FolderEntry[], list: TwoEndedList<UploadRow>) {
    this.folders = folders;
    this.list = list;
  }

  get length(): number {
    return this.folders.length + this.list.length;
  }

  /** Undefined for uploads that are not kept. */
  at(index: number): ListEntry | undefined {
    return this.folders[index] ?? this.list.row(index - this.folders.length);
  }

  /** Undefined for uploads that are not kept. */
  indexOfUpload(id: string): number | undefined {
    const index = this.list.indexOf(id);
    return index === undefined ? undefined : this.folders.length + index;
  }

  neighboursOf(id: string): Neighbours {
    const index = this.list.indexOf(id);
    if (index === undefined) return {};
    return { previous: this.list.row(index - 1), next: this.list.row(index + 1) };
  }

  selectable(index: number): SelectableRow | undefined {
    const entry = this.at(index);
    if (entry === undefined) return undefined;
    if (isFolder(entry)) {
      return { key: `folder ${entry.path}`, isFolder: true, sizeBytes: entry.totals.sizeBytes };
    }
    return { key: `upload ${entry.id}`, isFolder: false, sizeBytes: entry.sizeBytes };
  }

  /**
   * Whether the index of the row changes together with the length. Below a short list, that of its
   * last row counts.
   */
  isFromEnd(index: number): boolean {
    const upload = Math.min(index, this.length - 1) - this.folders.length;
    return upload >= 0 && this.list.isFromEnd(upload);
  }
}

/** The folders of a folder, in the order of the list. Folders have no times of their own. */
export function sortedFolders(
  folders: readonly FolderEntry[],
  { sortBy, sortOrder }: Address,
): FolderEntry[] {
  const sorted = [...folders];
  if (sortBy === "size_bytes")
    sorted.sort((one, two) => one.totals.sizeBytes - two.totals.sizeBytes);
  const isByNameOrSize = sortBy === "size_bytes" || sortBy === "filename";
  return isByNameOrSize && sortOrder === "desc" ? sorted.reverse() : sorted;
}
