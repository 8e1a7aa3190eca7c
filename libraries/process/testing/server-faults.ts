/** Makes a PostgreSQL server on this machine fail, by signals to its processes. */
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { isRunning, type Postmaster, readPostmaster } from "./postmaster.ts";

export interface ServerFaults {
  /** Ends the server as a crash does: at once, in the middle of everything. */
  crash(): Promise<void>;
  /** Stops all its processes where they are. Connections stay open and get no answer. */
  pause(): Promise<void>;
  /** Continues them. */
  resume(): Promise<void>;
}

/** @param folder PostgreSQL's data directory. */
export function faultsOfServer(folder: string): ServerFaults {
  let paused: readonly number[] = [];
  return {
    async crash() {
      const postmaster = await find(folder);
      process.kill(postmaster.processId, "SIGKILL");
      while (await isRunning(postmaster, folder)) await setTimeout(10);
    },
    async pause() {
      const { processId } = await find(folder);
      // The postmaster first: it would start more processes.
      process.kill(processId, "SIGSTOP");
      const children = await childrenOf(processId);
      for (const child of children) signalIfRunning(child, "SIGSTOP");
      paused = [...children, processId];
    },
    async resume() {
      for (const processId of paused) signalIfRunning(processId, "SIGCONT");
      paused = [];
    },
  };
}

async function find(folder: string): Promise<Postmaster> {
  const found = await readPostmaster(folder);
  if (found === undefined) throw new Error(`Cannot find the server of ${folder}: none runs`);
  return found;
}

async function childrenOf(processId: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${processId}/task/${processId}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

function signalIfRunning(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
