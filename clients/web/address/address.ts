/**
 * The whole state of the page, as it stands in the address after `?`. A link reproduces the view.
 * Missing parameters have defaults. Addresses leave defaults out.
 */
import { strings } from "../text/strings.ts";
import { folderPathOf, isShortQuery, isShortText } from "./address-limits.ts";

export const sortColumns = ["filename", "size_bytes", "created_at", "updated_at", "order"] as const;
type SortColumn = (typeof sortColumns)[number];

export interface Address {
  /** The host name of the bucket. Empty: the first that the caller may see. */
  readonly bucket: string;
  /** The path of the folder: `/`, `/photos/2026`. */
  readonly folder: string;
  /** Whether uploads of folders under the folder are listed too. */
  readonly isRecursive: boolean;
  /** The words and filters that are searched for, as they are typed. Controls edit it too. */
  readonly query: string;
  readonly sortBy: SortColumn;
  readonly sortOrder: "asc" | "desc";
  /** The text that the folder tree is filtered by. */
  readonly folderFilter: string;
  readonly view: "list" | "space";
  /** The ID of the upload that is shown in the panel; empty if there is none. */
  readonly upload: string;
}

export const defaultAddress: Address = {
  bucket: "",
  folder: "/",
  isRecursive: false,
  query: "",
  sortBy: "filename",
  sortOrder: "asc",
  folderFilter: "",
  view: "list",
  upload: "",
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
export function parseAddress(search: string): {
  readonly address: Address;
  readonly problems: readonly AddressProblem[];
} {
  const parameters = new URLSearchParams(search);
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
  const address: Address = {
    bucket: text("bucket"),
    folder: folderPathOf(checked("folder", isPath, allowed.path)) ?? "/",
    isRecursive: oneOf("under", ["", "1"]) === "1",
    query: checked("query", isShortQuery, allowed.query),
    sortBy: oneOf("sort", sortColumns),
    sortOrder: oneOf("order", ["asc", "desc"]),
    folderFilter: checked("folders", isShortText, allowed.text),
    view: oneOf("view", ["list", "space"]),
    upload: text("upload"),
  };
  return { address, problems };
}

/**
 * The change of the address that opens a folder: a search and its filters end, since the reader
 * wants to see what is there, and the panel closes.
 */
export function openingOf(folder: string): Partial<Address> {
  return { folder, query: "", upload: "" };
}

/** The address as a link on this page: `/`, `/?folder=%2Fphotos`. */
export function hrefOf(address: Address): string {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string, otherwise: string) =>
    value === otherwise || parameters.set(name, value);
  set("bucket", address.bucket, "");
  set("folder", address.folder, "/");
  set("under", address.isRecursive ? "1" : "", "");
  set("query", address.query, "");
  set("sort", address.sortBy, defaultAddress.sortBy);
  set("order", address.sortOrder, defaultAddress.sortOrder);
  set("folders", address.folderFilter, "");
  set("view", address.view, "list");
  set("upload", address.upload, "");
  const search = parameters.toString();
  return search === "" ? "/" : `/?${search}`;
}
