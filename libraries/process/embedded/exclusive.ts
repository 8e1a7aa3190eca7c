/**
 * Lets one program at a time do something with a folder, on one machine.
 *
 * The lock is an abstract Unix socket named after the folder: the system gives it to one process
 * and takes it back when that process ends, however it ends, so there is nothing stale to clean up.
 */
import { stat } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** @throws when the lock was not free within `timeoutMs`. */
export async function exclusively<T>(
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
    await heldElsewhere(name, deadline);
  }
}

/** Listening is holding. Undefined when somebody else does. */
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

/** Returns when the holder lets go: its end of the connection closes with it. */
async function heldElsewhere(name: string, deadline: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(name);
    const remainingMs = Math.max(1, deadline - performance.now());
    socket.setTimeout(remainingMs, () => socket.destroy());
    socket.on("error", () => undefined).once("close", () => resolve());
    socket.resume();
  });
  // A holder too busy to take the connection refuses it: without a pause that would spin.
  await sleep(5);
}
