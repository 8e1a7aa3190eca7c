/** For tests: a file system that takes requests and never answers. Needs root and FUSE. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { makeTemporaryFolder } from "@stowage/process/testing";

interface SilentFileSystem {
  /** Resolves at the first request. */
  readonly asked: Promise<unknown>;
  unmount(): Promise<void>;
}

/** Mounts it on a folder. */
export async function mountSilent(folder: string): Promise<SilentFileSystem> {
  const device = openSync("/dev/fuse", "r+");
  const options = "fd=3,rootmode=40000,user_id=0,group_id=0";
  const mount = start("mount", ["-i", "-t", "fuse", "-o", options, "silent", folder], device);
  if ((await once(mount, "exit"))[0] !== 0) {
    closeSync(device);
    throw new Error(`Cannot mount anything on ${folder}`);
  }
  acceptMount(device);
  const reader = start("dd", ["bs=1M"], device);
  return {
    asked: once(reader.stdout as NodeJS.ReadableStream, "data"),
    async unmount() {
      // Without the device, every request fails.
      closeSync(device);
      reader.kill();
      await once(reader, "exit");
      await once(start("umount", ["--lazy", folder], "ignore"), "exit");
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
