/** What is directly in one folder, as import lines: batches that came at a time, in some order. */
import type { Random } from "./random.ts";
import { drawBatchMicros, uploadRecord } from "./upload-record.ts";

/** The integrations of the bucket; a few folders are kept by one. */
export const integrationIds: readonly string[] = [
  "5f0c7a52-1c7e-4e0b-9a53-0d6f5b7f1c01",
  "5f0c7a52-1c7e-4e0b-9a53-0d6f5b7f1c02",
];

const integrationChance = 0.005;
const orderedChance = 0.15;
const batchUploads = 40;

/** Gives each further upload of the folder as a line, by its name. */
export function folderContents(random: Random, path: string): (filename: string) => string {
  const integrationId = random.chance(integrationChance) ? random.pick(integrationIds) : undefined;
  const isOrdered = random.chance(orderedChance);
  let batchMicros = drawBatchMicros(random);
  let number = 0;
  return (filename) => {
    number += 1;
    if (random.chance(1 / batchUploads)) batchMicros = drawBatchMicros(random);
    const order = isOrdered ? number : 0;
    const upload = uploadRecord(random, { path, filename, batchMicros, order, integrationId });
    return JSON.stringify({ upload });
  };
}
