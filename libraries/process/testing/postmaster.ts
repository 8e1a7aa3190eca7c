import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The main process of a PostgreSQL server, from the file in its data directory. */
export interface Postmaster {
  readonly processId: number;
}

export async function readPostmaster(folder: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "");
  const processId = Number(text.split("\n")[0]);
  return processId > 0 ? { processId } : undefined;
}

export async function isRunning({ processId }: Postmaster, folder: string): Promise<boolean> {
  const text = await readFile(`/proc/${processId}/cmdline`, "utf8").catch(() => "");
  return text.split("\0").includes(folder);
}
