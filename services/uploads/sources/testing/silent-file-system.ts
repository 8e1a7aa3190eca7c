/** For tests: a file system that never answers. Needs root and FUSE. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { makeTemporaryFolder } from "@stowage/process/testing";

interface SilentFileSystem {
  /** Resolves when it takes the first request. */
  readonly asked: Promise<unknown>;
  unmount(): Promise<void>;
}

/**
 * Mounts it on a folder, or on a file.
 *
 * @param takesRequests whether it takes requests. If it does, not even SIGKILL ends a process that
 *   waits for one.
 */
export async function mountSilent(
  path: string,
  { takesRequests = true } = {},
): Promise<SilentFileSystem> {
  const mode = (await stat(path)).isDirectory() ? "40000" : "100000";
  const device = openSync("/dev/fuse", "r+");
  const options = `fd=3,rootmode=${mode},user_id=0,group_id=0`;
  const mount = start("mount", ["-i", "-t", "fuse", "-o", options, "silent", path], device);
  if ((await once(mount, "exit"))[0] !== 0) {
    closeSync(device);
    throw new Error(`Cannot mount anything on ${path}`);
  }
  acceptMount(device);
  const reader = takesRequests ? start("dd", ["bs=1M"], device) : undefined;
  return {
    asked: reader?.stdout ? once(reader.stdout, "data") : new Promise(() => undefined),
    async unmount() {
      // Without the device, every request fails.
      closeSync(device);
      if (reader) {
        reader.kill();
        await once(reader, "exit");
      }
      await once(start("umount", ["--lazy", path], "ignore"), "exit");
    },
  };
}

/** @param device becomes its input, and its descriptor 3. */
function start(command: string, parameters: string[], device: number | "ignore"): ChildProcess {
  return spawn(command, parameters, { stdio: [device, "pipe", "ignore", device] });
}

async function canMount(): Promise<boolean> {
  const trial = await makeTemporaryFolder();
  try {
    await (await mountSilent(trial.path)).unmount();
    return true;
  } catch {
    return false;
  } finally {
    await trial.remove();
  }
}

/** Why it cannot be mounted, as a test's `skip`; false if it can. */
export const silentIsMissing = (await canMount()) ? false : "needs root and FUSE";

/** Answers the first request, FUSE_INIT (Linux, `include/uapi/linux/fuse.h`). */
function acceptMount(device: number): void {
  const request = Buffer.alloc(128 * 1024);
  readSync(device, request);
  const answer = Buffer.alloc(16 + 64);
  answer.writeUInt32LE(answer.length, 0);
  // Of the request: its unique number, and the version of the protocol.
  request.copy(answer, 8, 8, 16);
  request.copy(answer, 16, 40, 48);
  const writeBytesMax = 4096;
  answer.writeUInt32LE(writeBytesMax, 16 + 20);
  writeSync(device, answer);
}
