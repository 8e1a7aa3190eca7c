/** How much memory another process of this machine has in use, as Linux tells it. */
import { readFile, writeFile } from "node:fs/promises";

export interface ProcessMemory {
  readonly residentBytes: number;
  /** The most since it began, or since `forgetPeak`. */
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

/** From now on, the peak is what is in use at any later moment. */
export async function forgetPeak(processId: number): Promise<void> {
  await writeFile(`/proc/${processId}/clear_refs`, "5");
}
