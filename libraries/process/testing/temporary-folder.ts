import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  readonly path: string;
  /** Stops the PostgreSQL servers whose data is inside, and removes everything. */
  remove(): Promise<void>;
}

/**
 * A folder that other users can pass through but not list. A process that outlives this one removes
 * it, with the servers inside, at the latest when this one ends. It notices the end, also by
 * SIGKILL, by the pipe between them, which the system closes.
 */
export async function makeTemporaryFolder(parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(parent, "stowage-test-")));
  await chmod(path, 0o711);
  const child = spawn("/bin/sh", ["-c", removal, "sh", path], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(child, "exit");
  child.unref();
  // A pipe to a child is a socket, which would keep this process running.
  (child.stdin as Socket).unref();

  async function remove(): Promise<void> {
    child.ref();
    child.stdin.end();
    await ended;
  }
  return { path, remove };
}

/** A server told to quit at once removes its postmaster.pid as the last thing; 10 s are plenty. */
const removal = `
  cat >/dev/null
  files=$(find "$1" -name postmaster.pid)
  IFS='
'
  for file in $files; do kill -QUIT "$(head -n 1 "$file")"; done
  for file in $files; do
    pauses=0
    while [ -e "$file" ] && [ $pauses -lt 200 ]; do sleep 0.05; pauses=$((pauses + 1)); done
  done
  rm -rf "$1"`;
