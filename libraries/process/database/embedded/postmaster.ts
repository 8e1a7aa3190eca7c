/**
 * Reads a cluster's `postmaster.pid` and checks whether it is current.
 *
 * The file outlives a crash, and after a restart of the machine or container its process ID may
 * belong to any process. PostgreSQL and pg_ctl accept any process of the same user; here the
 * process must be a postgres that serves this folder.
 */
import { constants, open, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";

export interface Postmaster {
  readonly processId: number;
  readonly port: number;
  /** It accepts connections: it is neither starting nor stopping. */
  readonly isReady: boolean;
  readonly lines: readonly string[];
}

export async function readPostmaster(folder: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(folder, "postmaster.pid"), "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n");
  const [processId, port] = [Number(lines[0]), Number(lines[3])];
  if (!(processId > 0) || !(port > 0)) return undefined;
  return { processId, port, isReady: lines[7]?.trim() === "ready", lines };
}

/** The port of the last start, also after the server has ended; undefined before the first. */
export async function readLastPort(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, "postmaster.opts"), "utf8").catch(() => "");
  const port = /"port=(\d+)"/.exec(text)?.[1];
  return port === undefined ? undefined : Number(port);
}

export async function isRunning({ processId }: Postmaster, folder: string): Promise<boolean> {
  try {
    const text = await readFile(`/proc/${processId}/cmdline`, "utf8");
    const [command, ...arguments_] = text.split("\0");
    return basename(command ?? "") === "postgres" && arguments_.includes(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return false;
    // The server may run. Without this check, lack of file handles would replace a running one.
    if (code !== "EPERM" && code !== "EACCES") throw error;
    // With the option hidepid of /proc, the command lines of other users cannot be read.
    if (await isOfOtherUser(processId, folder)) return false;
    throw new Error(
      `Cannot find out whether process ${processId} is the server of the database in ${folder}; ` +
        `if it is not, remove ${join(folder, "postmaster.pid")}`,
      { cause: error },
    );
  }
}

/** The server runs as the owner of its folder. */
async function isOfOtherUser(processId: number, folder: string): Promise<boolean> {
  const process = await stat(`/proc/${processId}`).catch(() => undefined);
  return process !== undefined && process.uid !== (await stat(folder)).uid;
}

/**
 * Replaces the wrong process ID by one that no process can have. The other lines must stay: they
 * name the shared memory by which PostgreSQL detects running processes of a killed server.
 */
export async function markStale(folder: string, { lines }: Postmaster): Promise<void> {
  const text = [impossibleProcessId, ...lines.slice(1)].join("\n");
  // Never follow a link: root does this in a folder of the server's user.
  const file = await open(
    join(folder, "postmaster.pid"),
    constants.O_WRONLY | constants.O_NOFOLLOW,
  );
  try {
    await file.writeFile(text);
    await file.truncate(Buffer.byteLength(text));
  } finally {
    await file.close();
  }
}

/** One more than the kernel's maximum, 2^22. */
const impossibleProcessId = 4_194_305;
