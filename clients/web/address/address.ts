/**
 * The whole state of the page, as it stands in the address after `?`. A link reproduces the view.
 * Missing parameters have defaults. Addresses leave defaults out.
 */
import { strings } from "../text/strings.ts";
import { folderPathOf, isShortText, tagsMax } from "./address-limits.ts";

export const sortColumns = ["filename", "size_bytes", "created_at", "updated_at", "order"] as const;
type SortColumn = (typeof sortColumns)[number];

export interface Address {
  /** The host name of the bucket. Empty: the first that the caller may see. */
  readonly bucket: string;
  /** The path of the folder: `/`, `/photos/2026`. */
  readonly folder: string;
  /** Whether uploads of folders under the folder are listed too. */
  readonly isRecursive: boolean;
  readonly search: string;
  /** Uploads with all of these tags. */
  readonly tags: readonly string[];
  /** The first and last day of `createdAt`, as `2026-11-23`; empty if there is no bound. */
  readonly dateFrom: string;
  readonly dateTo: string;
  readonly sortBy: SortColumn;
  readonly sortOrder: "asc" | "desc";
  /** The text that the folder tree is filtered by. */
  readonly folderFilter: string;
  readonly view: "list" | "space";
  /** The ID of the upload that is shown in the panel; empty if there is none. */
  readonly upload: string;
  /**
   * The folder and filename of that upload: `/photos/2026/quay.jpg`. The contract finds uploads by
   * name only, so a link needs it. Empty: it is not known yet.
   */
  readonly uploadPath: string;
}

export const defaultAddress: Address = {
  bucket: "",
  folder: "/",
  isRecursive: false,
  search: "",
  tags: [],
  dateFrom: "",
  dateTo: "",
  sortBy: "filename",
  sortOrder: "asc",
  folderFilter: "",
  view: "list",
  upload: "",
  uploadPath: "",
};

/** A parameter that could not be used. The address has its default instead. */
export interface AddressProblem {
  readonly parameter: string;
  readonly value: string;
  /** What is allowed. */
  readonly allowed: string;
}

const { allowed } = strings.address;

/** Reads what follows `?` in an address. */
export function parseAddress(query: string): {
  readonly address: Address;
  readonly problems: readonly AddressProblem[];
} {
  const parameters = new URLSearchParams(query);
  const problems: AddressProblem[] = [];
  const text = (name: string) => parameters.get(name) ?? "";
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value => {
    const value = text(name);
    const found = values.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    const names = values.filter((candidate) => candidate !== "");
    if (value !== "") problems.push({ parameter: name, value, allowed: names.join(", ") });
    return values[0] as Value;
  };
  const checked = (name: string, isAllowed: (value: string) => boolean, what: string) => {
    const value = text(name);
    if (value === "" || isAllowed(value)) return value;
    problems.push({ parameter: name, value, allowed: what });
    return "";
  };
  const isPath = (value: string) => folderPathOf(value) !== undefined;
  const dateFrom = checked("from", isDay, allowed.day);
  const isNotBefore = (value: string) => isDay(value) && (dateFrom === "" || dateFrom <= value);
  const address: Address = {
    bucket: text("bucket"),
    folder: folderPathOf(checked("folder", isPath, allowed.path)) ?? "/",
    isRecursive: oneOf("under", ["", "1"]) === "1",
    search: checked("search", isShortText, allowed.text),
    tags: checkedTags(parameters.getAll("tag"), problems),
    dateFrom,
    dateTo: checked("to", isNotBefore, dateFrom === "" ? allowed.day : allowed.dayFrom(dateFrom)),
    sortBy: oneOf("sort", sortColumns),
    sortOrder: oneOf("order", ["asc", "desc"]),
    folderFilter: checked("folders", isShortText, allowed.text),
    view: oneOf("view", ["list", "space"]),
    upload: text("upload"),
    uploadPath: text("file"),
  };
  return { address, problems };
}

/** Each tag once, without empty ones, nor those that are too many. */
function checkedTags(given: readonly string[], problems: AddressProblem[]): readonly string[] {
  const tags = [...new Set(given)].filter((tag) => tag !== "");
  const value = tags[tagsMax];
  if (value === undefined) return tags;
  problems.push({ parameter: "tag", value, allowed: allowed.tags(tagsMax) });
  return tags.slice(0, tagsMax);
}

/** Whether the text is a day of the years 1 to 9999, like `2026-11-23`. Calls have no others. */
export function isDay(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The address after a change. Another upload does not keep the path of the last one. */
export function changed(address: Address, change: Partial<Address>): Address {
  const { upload = address.upload } = change;
  const uploadPath = upload === address.upload ? address.uploadPath : "";
  return { ...address, uploadPath, ...change };
}

/**
 * The change of the address that opens a folder: a search ends, since the reader wants to see what
 * is there, and the panel closes.
 */
export function openingOf(folder: string): Partial<Address> {
  return { folder, search: "", upload: "" };
}

/** The address as a link on this page: `/`, `/?folder=%2Fphotos`. */
export function hrefOf(address: Address): string {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string, otherwise: string) =>
    value === otherwise || parameters.set(name, value);
  set("bucket", address.bucket, "");
  set("folder", address.folder, "/");
  set("under", address.isRecursive ? "1" : "", "");
  set("search", address.search, "");
  for (const tag of address.tags) parameters.append("tag", tag);
  set("from", address.dateFrom, "");
  set("to", address.dateTo, "");
  set("sort", address.sortBy, defaultAddress.sortBy);
  set("order", address.sortOrder, defaultAddress.sortOrder);
  set("folders", address.folderFilter, "");
  set("view", address.view, "list");
  set("upload", address.upload, "");
  set("file", address.uploadPath, "");
  const query = parameters.toString();
  return query === "" ? "/" : `/?${query}`;
}
