import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The main process of a PostgreSQL server, from the file in its data directory. */
interface Postmaster {
  readonly processId: number;
}

export async function readPostmaster(folder: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "");
  const processId = Number(text.split("\n")[0]);
  return processId > 0 ? { processId } : undefined;
}

/** Whether the process has not ended. One that nobody has waited for yet has no command line. */
export async function isRunning(processId: number): Promise<boolean> {
  return (await readFile(`/proc/${processId}/cmdline`, "utf8").catch(() => "")) !== "";
}
