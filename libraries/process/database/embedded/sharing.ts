/**
 * How programs of one machine share an embedded server: a lock on its folder, and leases.
 *
 * The lock is an abstract Unix socket named after the folder. The system releases it when its
 * process ends, however it ends, so it never gets stale.
 *
 * A lease is a file named by the process that uses the server. The program that returns the last
 * lease stops the server. A lease of a process that has ended does not count.
 */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs an action while holding the lock of a folder.
 *
 * @throws if the lock is not free within `timeoutMs`.
 */
export async function withFolderLock<T>(
  folder: string,
  action: () => Promise<T>,
  { timeoutMs }: { timeoutMs: number },
): Promise<T> {
  const { dev, ino } = await stat(folder);
  const release = await acquire(`\0stowage-${dev}-${ino}`, folder, timeoutMs);
  try {
    return await action();
  } finally {
    await release();
  }
}

async function acquire(
  name: string,
  folder: string,
  timeoutMs: number,
): Promise<() => Promise<void>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const release = await tryListen(name);
    if (release) return release;
    if (performance.now() > deadline) {
      throw new Error(
        `Cannot lock ${folder}: another program has held it for ${timeoutMs / 1000} s`,
      );
    }
    await untilReleased(name, deadline);
  }
}

/** Takes the lock by listening on its socket. Returns undefined if another program holds it. */
async function tryListen(name: string): Promise<(() => Promise<void>) | undefined> {
  const waiting = new Set<Socket>();
  const server: Server = createServer((socket) => {
    waiting.add(socket.on("error", () => undefined).once("close", () => waiting.delete(socket)));
  });
  const isHeld = await new Promise<boolean>((resolve, reject) => {
    server.once("listening", () => resolve(true));
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    server.listen(name);
  });
  if (!isHeld) return undefined;
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of waiting) socket.destroy();
    });
}

/** Waits until the holder releases the lock, which closes the connection. */
async function untilReleased(name: string, deadline: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(name);
    const remainingMs = Math.max(1, deadline - performance.now());
    socket.setTimeout(remainingMs, () => socket.destroy());
    socket.on("error", () => undefined).once("close", () => resolve());
    socket.resume();
  });
  // A busy holder may refuse the connection. Without a pause this would be a busy loop.
  await sleep(5);
}

export interface Lease {
  readonly file: string;
}

let leasesTaken = 0;

/** All functions for leases must be called with the folder's lock held. */
export async function acquireLease(folder: string): Promise<Lease> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  leasesTaken += 1;
  const file = join(folder, `${process.pid}-${leasesTaken}`);
  // A file that exists belongs to an earlier process with the same ID.
  await rm(file, { force: true });
  await writeFile(file, await identityOf(process.pid), { flag: "wx" });
  return { file };
}

export async function releaseLease(lease: Lease): Promise<void> {
  await rm(lease.file, { force: true });
}

/**
 * Whether a running program has a lease. Removes the leases of ended ones.
 *
 * @throws if that cannot be found out, for example for lack of file handles.
 */
export async function isLeased(folder: string): Promise<boolean> {
  let count = 0;
  for (const name of await readdir(folder).catch(ifMissing([]))) {
    const file = join(folder, name);
    const identity = await identityOf(Number.parseInt(name, 10));
    if (identity !== "" && identity === (await readFile(file, "utf8"))) count += 1;
    else await rm(file, { force: true });
  }
  return count > 0;
}

/** Identifies a process, even if its ID is reused later; "" if it does not run. */
async function identityOf(processId: number): Promise<string> {
  const status = await readFile(`/proc/${processId}/stat`, "utf8").catch(ifMissing(""));
  // The command's name is in parentheses and may itself contain parentheses and spaces.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  const [state, startTicks] = [fields[0], fields[19]];
  if (startTicks === undefined || state === "Z" || state === "X") return "";
  const bootId = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  return `${processId} ${startTicks} ${bootId}`;
}

/** ESRCH: the process ended while its file was read. */
function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT" || error.code === "ESRCH") return value;
    throw error;
  };
}
