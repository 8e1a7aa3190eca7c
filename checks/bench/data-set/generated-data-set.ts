/** A data set made from a seed: folders in folders, a few of them crowded, files of all kinds. */
import { wholeNumber } from "../frame/figures.ts";
import type { DataSet } from "./data-set.ts";
import { folderContents } from "./folder-contents.ts";
import { generateFolders } from "./generated-folders.ts";
import { Random } from "./random.ts";

const foldersPerUpload = 0.27;
const foldersMin = 10;

/** With exactly so many uploads, and 270,000 folders for each million of them. */
export function generatedDataSet(uploads: number, seed = 1): DataSet {
  const folders = Math.max(foldersMin, Math.round(uploads * foldersPerUpload));
  return {
    name: `rows-${uploads}-seed-${seed}`,
    description: `${wholeNumber(uploads)} uploads made from seed ${seed}`,
    *lines() {
      const random = new Random(seed);
      for (const folder of generateFolders(random, { folders, uploads })) {
        const { path, style } = folder;
        yield JSON.stringify({ folder: folderRecord(random, path) });
        const nextUpload = folderContents(random, path);
        for (let number = 0; number < folder.uploads; number++) {
          yield nextUpload(style(random, number));
        }
      }
    },
  };
}

const colours = ["blue", "green", "amber", "red", "violet"];

function folderRecord(random: Random, path: string): object {
  return {
    folderId: random.uuid(),
    path,
    colour: random.chance(0.1) ? random.pick(colours) : "",
    hasPublicDirectoryListing: random.chance(0.02),
    order: random.chance(0.1) ? random.below(100) : 0,
  };
}
