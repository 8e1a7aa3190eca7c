/** The cells of one row, as texts in the reader's locale. */
import { type Address, hrefOf } from "../address/address.ts";
import type { FolderEntry } from "../folders/folder-level.ts";
import { parentOf } from "../folders/folder-path.ts";
import { readQuery } from "../query/page-query.ts";
import { formatCount, formatDateTime, formatName, formatSize } from "../text/format.ts";
import { MarkedParts } from "../text/marked-parts.tsx";
import { type NamePart, pathAndNameParts } from "../text/name-parts.ts";
import { strings } from "../text/strings.ts";
import type { ColumnName } from "./list-columns.ts";
import { isFolder, type ListEntry, openingInList, openingOfEntry } from "./list-entries.ts";
import type { UploadRow } from "./upload-row.ts";

const text = strings.uploads;

interface CellProps {
  readonly entry: ListEntry;
  readonly address: Address;
  readonly isNarrow: boolean;
}

export function Cell({ column, ...props }: CellProps & { readonly column: ColumnName }) {
  const { entry } = props;
  if (column === "name") return <NameCell {...props} />;
  if (column === "path") return <FolderLink {...props} />;
  if (isFolder(entry)) return column === "size" ? formatSize(entry.totals.sizeBytes) : null;
  return <UploadCell column={column} upload={entry} />;
}

interface UploadCellProps {
  readonly column: Exclude<ColumnName, "name" | "path">;
  readonly upload: UploadRow;
}

function UploadCell({ column, upload }: UploadCellProps) {
  switch (column) {
    case "size":
      return formatSize(upload.sizeBytes);
    case "created":
      return formatDateTime(upload.createdAtMs);
    case "changed":
      return formatDateTime(upload.updatedAtMs);
    case "type":
      return typeName(upload.type);
    case "tags":
      return <Tags tags={upload.tags} />;
    case "order":
      return formatCount(upload.order);
  }
}

function NameCell({ entry, address, isNarrow }: CellProps) {
  const parts = markedPartsOf(entry, address);
  const href = hrefOf({ ...address, ...openingOfEntry(entry, address.query) });
  return (
    <>
      <Icon isOfFolder={isFolder(entry)} />
      <span className="list-name">
        <a
          className="list-link"
          tabIndex={-1}
          href={href}
          title={formatName(entry.name)}
          data-action="open"
        >
          <bdi>
            <MarkedParts parts={parts.name} />
          </bdi>
        </a>
        {isNarrow && <Detail entry={entry} address={address} path={parts.path} />}
      </span>
    </>
  );
}

/** Only folders are named: most rows are uploads. */
function Icon({ isOfFolder }: { readonly isOfFolder: boolean }) {
  if (!isOfFolder) {
    return (
      <svg className="list-icon" aria-hidden="true" viewBox="0 0 16 16">
        <path d="M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3" />
      </svg>
    );
  }
  return (
    <svg className="list-icon" role="img" aria-label={text.folder} viewBox="0 0 16 16">
      <path className="list-icon-folder" d="M1.5 3.5h4.6l1.6 2h6.8v8h-13z" />
    </svg>
  );
}

/** What the search has found in the name of the entry, and in the path of its folder. */
function markedPartsOf(entry: ListEntry, { query }: Address) {
  return pathAndNameParts(folderOf(entry), entry.name, readQuery(query).words);
}

function folderOf(entry: ListEntry): string {
  return isFolder(entry) ? parentOf(entry.path) : entry.path;
}

interface DetailProps extends Pick<CellProps, "entry" | "address"> {
  readonly path: readonly NamePart[];
}

/** What the other columns would say. */
function Detail({ entry, address, path }: DetailProps) {
  const details = isFolder(entry) ? folderDetails(entry) : [formatSize(entry.sizeBytes)];
  const isHere = folderOf(entry) === address.folder;
  if (isHere && !isFolder(entry)) details.push(formatDateTime(entry.updatedAtMs));
  return (
    <span className="list-detail">
      {details.join(" · ")}
      {!isHere && (
        <>
          {" · "}
          <MarkedParts parts={path} />
        </>
      )}
    </span>
  );
}

function folderDetails({ totals: { uploadCount, sizeBytes } }: FolderEntry): string[] {
  const count = text.uploadCount(formatCount(uploadCount), uploadCount === 1);
  return [count, formatSize(sizeBytes)];
}

/** Leads to the folder that the entry is in. */
function FolderLink({ entry, address }: CellProps) {
  const path = folderOf(entry);
  const href = hrefOf({ ...address, ...openingInList(path, address.query), isRecursive: false });
  return (
    <a
      className="list-link"
      tabIndex={-1}
      href={href}
      title={formatName(path)}
      data-action="folder"
      data-value={path}
    >
      <bdi dir="ltr">
        <MarkedParts parts={markedPartsOf(entry, address).path} />
      </bdi>
    </a>
  );
}

function Tags({ tags }: { readonly tags: readonly string[] }) {
  return tags.map((tag) => (
    <button
      key={tag}
      type="button"
      tabIndex={-1}
      className="list-tag"
      data-action="tag"
      data-value={tag}
      title={text.filterByTag(formatName(tag))}
    >
      <bdi>{formatName(tag)}</bdi>
    </button>
  ));
}

function typeName(type: string): string {
  return Object.hasOwn(text.types, type) ? text.types[type as keyof typeof text.types] : "";
}
