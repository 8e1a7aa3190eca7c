/** Opens files of a directory source, and nothing outside the directory. */
import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { ApiError } from "../model/api-error.ts";
import { microsOfNanos } from "../model/microseconds.ts";

/** A file of the directory that is not there, or not the one that the index knows. */
export class FileChangedError extends Error {
  override readonly name = "FileChangedError";
}

interface IndexedFile {
  readonly sizeBytes: number;
  readonly updatedAtMicros: bigint;
}

/**
 * Opens a file for reading. The caller closes it.
 *
 * @param directory the directory of the source; it may itself be a symbolic link.
 * @param key the path of the file below it; any bytes.
 * @throws FileChangedError; `ApiError` CONTENT_UNAVAILABLE if the directory or the file cannot be
 *   read, for example because the disk of the directory is not mounted.
 */
export async function openFile(
  directory: string,
  key: Uint8Array,
  indexed: IndexedFile,
): Promise<FileHandle> {
  const root = await realpath(directory).catch(refuseUnreadable);
  const path = Buffer.concat([Buffer.from(root === "/" ? "/" : `${root}/`), key]);
  // A pipe or a device is not waited for, and a link in the last place not followed.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(refuseUnopened);
  try {
    await requireFileAt(file, path, indexed);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * A folder above the file may be a link, or may have become one just now. The kernel knows where
 * the open file is. A second lookup of the path would not show it: somebody who may write to the
 * directory can exchange a folder and a link between two lookups.
 */
async function requireFileAt(file: FileHandle, path: Buffer, indexed: IndexedFile): Promise<void> {
  const openedAt = await readlink(`/proc/self/fd/${file.fd}`, { encoding: "buffer" });
  if (!openedAt.equals(path) || !(await isUnchanged(file, indexed))) {
    throw new FileChangedError("the file is another one");
  }
}

/** Whether the file still has the indexed size and time of change. */
export async function isUnchanged(
  file: FileHandle,
  { sizeBytes, updatedAtMicros }: IndexedFile,
): Promise<boolean> {
  const found = await file.stat({ bigint: true });
  return (
    found.isFile() &&
    found.size === BigInt(sizeBytes) &&
    microsOfNanos(found.mtimeNs) === updatedAtMicros
  );
}

const goneCodes: ReadonlySet<unknown> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "EISDIR",
  "ENXIO",
  "ENAMETOOLONG",
]);
/** The process or the system has too many files open: that is not the fault of the directory. */
const processCodes: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

function refuseUnopened(error: unknown): never {
  if (goneCodes.has(codeOf(error))) {
    throw new FileChangedError("the file is not there", { cause: error });
  }
  refuseUnreadable(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function refuseUnreadable(cause: unknown): never {
  if (processCodes.has(codeOf(cause))) throw cause;
  const message = "the content or its directory cannot be read; try again";
  throw new ApiError("CONTENT_UNAVAILABLE", message, { cause });
}
