/** Makes a PostgreSQL server on this machine fail, by signals to its processes. */
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { isRunning, readPostmaster } from "./postmaster.ts";

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
      // All of them: a busy one would go on, and keep the server from starting again.
      const processes = await stopAll(folder);
      for (const processId of processes) signalIfRunning(processId, "SIGKILL");
      for (const processId of processes) {
        while (await isRunning(processId)) await setTimeout(10);
      }
    },
    async pause() {
      paused = await stopAll(folder);
    },
    async resume() {
      for (const processId of paused) signalIfRunning(processId, "SIGCONT");
      paused = [];
    },
  };
}

/** Stops all processes of the server where they are, and returns them, the postmaster last. */
async function stopAll(folder: string): Promise<readonly number[]> {
  const postmaster = await readPostmaster(folder);
  if (postmaster === undefined) throw new Error(`Cannot find the server of ${folder}: none runs`);
  const { processId } = postmaster;
  // The postmaster first: it would start more processes.
  process.kill(processId, "SIGSTOP");
  const children = await childrenOf(processId);
  for (const child of children) signalIfRunning(child, "SIGSTOP");
  return [...children, processId];
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
