/**
 * Finds one upload. The contract reads no upload by its ID, so lists are searched for its name and
 * the ID is looked for in them. That takes one short call, since hardly any other name matches.
 */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { textLengthMax } from "../address/address-limits.ts";

export interface WantedUpload {
  readonly uploadId: string;
  /** Its folder and filename. Empty: it is somewhere in the folder. */
  readonly uploadPath: string;
  readonly folder: string;
  readonly isRecursive: boolean;
}

/** Fields of `ListUploads`. */
interface UploadFilters {
  readonly path: string;
  readonly recursive: boolean;
  readonly search: string;
}

type ReadPage = (
  filters: UploadFilters,
  cursor: string,
) => Promise<{ readonly uploads: readonly Upload[]; readonly nextCursor: string }>;

/** Most pages that are looked through. Only uploads of unknown path need more than one. */
const pagesMax = 5;

/** Null if it does not exist, or the caller may not see it. */
export async function findUpload(wanted: WantedUpload, readPage: ReadPage): Promise<Upload | null> {
  const filters = filtersFor(wanted);
  let cursor = "";
  for (let page = 0; page < pagesMax; page++) {
    const { uploads, nextCursor } = await readPage(filters, cursor);
    const found = uploads.find(({ uploadId }) => uploadId === wanted.uploadId);
    if (found !== undefined) return found;
    if (nextCursor === "") return null;
    cursor = nextCursor;
  }
  return null;
}

function filtersFor({ uploadPath, folder, isRecursive }: WantedUpload): UploadFilters {
  if (uploadPath === "") return { path: folder, recursive: isRecursive, search: "" };
  const slash = uploadPath.lastIndexOf("/");
  return {
    path: uploadPath.slice(0, Math.max(slash, 0)) || "/",
    recursive: false,
    search: searchFor(uploadPath.slice(slash + 1)),
  };
}

/**
 * A search that finds this name and few others. Text is a substring of names; with `*` or `?` it is
 * a pattern for whole names, so one character becomes `?`.
 */
export function searchFor(filename: string): string {
  const characters = [...filename.normalize("NFC")];
  if (characters.length > textLengthMax) {
    return [...characters.slice(0, textLengthMax - 1), "*"].join("");
  }
  const isPattern = characters.some((character) => character === "*" || character === "?");
  const replaced = isPattern ? -1 : characters.findLastIndex(isOneInLowerCase);
  return (replaced === -1 ? characters : characters.with(replaced, "?")).join("");
}

/** Names are compared in lower case, where a few characters are several: `İ`. */
function isOneInLowerCase(character: string): boolean {
  return [...character.toLowerCase()].length === 1;
}

/** The folder and filename of an upload: `/photos/2026/quay.jpg`. */
export function pathOf({ path, filename }: Pick<Upload, "path" | "filename">): string {
  return `${path === "/" ? "" : path}/${filename}`;
}
