/** What Linux tells of other processes: memory and processor time. */
import { readFile, writeFile } from "node:fs/promises";

interface ProcessMemory {
  readonly residentBytes: number;
  /** The most since the process began, or since `resetPeak`. */
  readonly peakBytes: number;
}

export async function readMemory(processId: number): Promise<ProcessMemory> {
  const status = await readFile(`/proc/${processId}/status`, "utf8");
  const bytesOf = (name: string) => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    if (kibibytes === undefined) throw new Error(`Cannot read the memory of process ${processId}`);
    return Number(kibibytes) * 1024;
  };
  return { residentBytes: bytesOf("VmRSS"), peakBytes: bytesOf("VmHWM") };
}

export async function resetPeak(processId: number): Promise<void> {
  await writeFile(`/proc/${processId}/clear_refs`, "5");
}

/** Of all threads of the processes since they began. Processes that have ended count nothing. */
export async function readProcessorMs(processIds: readonly number[]): Promise<number> {
  let ticks = 0;
  for (const processId of processIds) {
    const status = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => undefined);
    // The command's name is in brackets and may hold anything, brackets and spaces included.
    const fields = status?.slice(status.lastIndexOf(")") + 2).split(" ") ?? [];
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks * msPerTick;
}

/** Linux reports times in hundredths of a second. */
const msPerTick = 10;
