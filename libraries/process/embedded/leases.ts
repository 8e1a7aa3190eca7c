/**
 * Which programs use a server: a file for each, named by its process. The program that gives back
 * the last one stops the server. A lease of a process that is gone counts for nothing, so a killed
 * program cannot keep the server alive for ever.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Lease {
  readonly file: string;
}

let leasesTaken = 0;

/** Called with the folder's lock held, as are the others. */
export async function takeLease(folder: string): Promise<Lease> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  leasesTaken += 1;
  const file = join(folder, `${process.pid}-${leasesTaken}`);
  // What is left there is of an earlier process with our number.
  await rm(file, { force: true });
  await writeFile(file, await identityOf(process.pid), { flag: "wx" });
  return { file };
}

export async function returnLease(lease: Lease): Promise<void> {
  await rm(lease.file, { force: true });
}

/** Whether a living program holds a lease; those of dead ones are removed. */
export async function isLeased(folder: string): Promise<boolean> {
  let count = 0;
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const identity = await identityOf(Number.parseInt(name, 10));
    if (identity !== "" && identity === (await readFile(file, "utf8"))) count += 1;
    else await rm(file, { force: true });
  }
  return count > 0;
}

/** Tells a process from all others, also from later ones with its number; "" when there is none. */
async function identityOf(processId: number): Promise<string> {
  const status = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => "");
  // The command's name comes in brackets and may hold anything, brackets and spaces included.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  const [state, startTicks] = [fields[0], fields[19]];
  if (startTicks === undefined || state === "Z" || state === "X") return "";
  const bootId = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  return `${processId} ${startTicks} ${bootId}`;
}
