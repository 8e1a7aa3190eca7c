/** The cells of one row, as texts in the reader's locale. */
import { type Address, changed, hrefOf, openingOf } from "../address/address.ts";
import { formatCount, formatDateTime, formatName, formatSize } from "../text/format.ts";
import { nameParts } from "../text/name-parts.ts";
import { strings } from "../text/strings.ts";
import type { ColumnName } from "./list-columns.ts";
import { isFolder, type ListEntry, openingOfEntry } from "./list-entries.ts";
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
  if (isFolder(entry)) return column === "size" ? formatSize(entry.totals.sizeBytes) : null;
  return <UploadCell column={column} upload={entry} address={props.address} />;
}

interface UploadCellProps {
  readonly column: Exclude<ColumnName, "name">;
  readonly upload: UploadRow;
  readonly address: Address;
}

function UploadCell({ column, upload, address }: UploadCellProps) {
  switch (column) {
    case "path":
      return <FolderLink path={upload.path} address={address} />;
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
  const href = hrefOf(changed(address, openingOfEntry(entry)));
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
          <MarkedName name={entry.name} search={address.search} />
        </a>
        {isNarrow && <span className="list-detail">{detailOf(entry, address)}</span>}
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

function MarkedName({ name, search }: { readonly name: string; readonly search: string }) {
  return (
    <bdi>
      {nameParts(name, search).map(({ text: part, start, isMatch }) =>
        isMatch ? <mark key={start}>{formatName(part)}</mark> : formatName(part),
      )}
    </bdi>
  );
}

/** What the other columns would say. */
function detailOf(entry: ListEntry, address: Address): string {
  if (isFolder(entry)) {
    const { uploadCount, sizeBytes } = entry.totals;
    const count = text.uploadCount(formatCount(uploadCount), uploadCount === 1);
    return `${count} · ${formatSize(sizeBytes)}`;
  }
  const { sizeBytes, path, updatedAtMs } = entry;
  const place = path === address.folder ? formatDateTime(updatedAtMs) : formatName(path);
  return `${formatSize(sizeBytes)} · ${place}`;
}

function FolderLink({ path, address }: { readonly path: string; readonly address: Address }) {
  const href = hrefOf(changed(address, { ...openingOf(path), isRecursive: false }));
  return (
    <a
      className="list-link"
      tabIndex={-1}
      href={href}
      title={formatName(path)}
      data-action="folder"
      data-value={path}
    >
      <bdi dir="ltr">{formatName(path)}</bdi>
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
