/** How long processors have worked for other processes of this machine, as Linux tells it. */
import { readFile } from "node:fs/promises";

/** All threads of each process, by its ID; those that are gone are left out. */
export async function readProcessorMs(
  processIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  for (const processId of processIds) {
    const status = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => undefined);
    // The command's name comes in brackets and may hold anything, brackets and spaces included.
    const fields = status?.slice(status.lastIndexOf(")") + 2).split(" ");
    if (fields === undefined) continue;
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    found.set(processId, (user + system) * msPerTick);
  }
  return found;
}

/** In all processes together; one that began in between counts from its beginning. */
export function spentMs(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): number {
  return after.entries().reduce((sum, [id, ms]) => sum + ms - (before.get(id) ?? 0), 0);
}

/** Linux shows times in hundredths of a second, whatever its own clock does. */
const msPerTick = 10;
