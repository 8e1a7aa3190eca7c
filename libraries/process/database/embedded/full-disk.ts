/** Errors of a database that cannot be opened because its disk is full. */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText } from "../../error-text.ts";

/** An empty cluster has 41 MB; the services and their logs soon need as much again. */
const neededMb = 100;

/** How the system, initdb and the server say it. */
const fullDisk = /ENOSPC|No space left on device|could not extend file/;

/**
 * Returns an error that says how much room the disk of a cluster lacks; any other error as it is.
 * The end of the server's log may still tell of a disk that was full earlier.
 */
export async function explainFullDisk(error: unknown, cluster: string): Promise<unknown> {
  if (!(error instanceof Error) || !fullDisk.test(errorText(error))) return error;
  const { bavail, bsize } = await statfs(dirname(cluster));
  const freeMb = Math.floor((bavail * bsize) / 1024 ** 2);
  if (freeMb >= neededMb) return error;
  return new Error(
    `Cannot open the database in ${cluster}: the disk of this folder is full: it has ` +
      `${freeMb} MB free, need ${neededMb} MB; make room, or set DATA_DIR to a folder on another ` +
      "disk",
  );
}
