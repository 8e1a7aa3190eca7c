/** A data set made from a seed: folders in folders, a few of them crowded, files of all kinds. */
import { dirname } from "node:path/posix";
import { wholeNumber } from "../report/tables.ts";
import type { DataSet } from "./data-set.ts";
import { folderWords, type NameStyle, nameStyles } from "./names.ts";
import { Random, sharesOf } from "./random.ts";
import { folderContents } from "./uploads.ts";

const foldersPerUpload = 0.27;
const foldersMin = 10;

/** Has exactly this number of uploads, and 270,000 folders for each million of them. */
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

interface GeneratedFolder {
  /** `/` for the root. */
  readonly path: string;
  /** How many uploads are directly in it. */
  readonly uploads: number;
  readonly style: NameStyle;
}

interface FolderTotals {
  /** The root counts. At least 4. */
  readonly folders: number;
  readonly uploads: number;
}

/** The folder whose list has 200 pages. */
export const largeFolderPath = "/Scans/Incoming";
const largeFolderUploads = 10_500;
/** At most this part of all uploads is in it. */
const largeFolderPart = 0.25;

/**
 * The folders, each before those in it. A folder divides the folders and uploads under it by chance
 * among itself and its children, so the totals are exact and little is kept in memory.
 */
function* generateFolders(random: Random, totals: FolderTotals): Generator<GeneratedFolder> {
  const large = Math.min(largeFolderUploads, Math.floor(totals.uploads * largeFolderPart));
  const style = nameStyles.find(({ name }) => name === "scanner")!;
  yield { path: "/", uploads: 0, style };
  yield { path: dirname(largeFolderPath), uploads: 0, style };
  yield { path: largeFolderPath, uploads: large, style };
  const remaining = { folders: totals.folders - 2, uploads: totals.uploads - large };
  const ahead = childrenOf(random, { path: "", style, depth: 0, ...remaining });
  for (let branch = ahead.pop(); branch !== undefined; branch = ahead.pop()) {
    const uploads = uploadsDirectlyIn(random, branch);
    yield { path: branch.path, uploads, style: branch.style };
    if (branch.folders === 1) continue;
    ahead.push(...childrenOf(random, { ...branch, uploads: branch.uploads - uploads }));
  }
}

/** A folder with all that is below it. */
interface Branch {
  readonly path: string;
  readonly style: NameStyle;
  readonly depth: number;
  /** It counts itself. */
  readonly folders: number;
  readonly uploads: number;
}

/** Folders at this depth have no grandchildren. */
const depthMax = 12;
const childrenMax = 200;
const childrenMedian = 8;
/** Standard deviations of logarithms: how differently folders are filled. */
const directSpread = 1.5;
const childrenSpread = 0.8;
const foldersSpread = 1.2;
const uploadsSpread = 0.9;
const sameStyleChance = 0.8;

function uploadsDirectlyIn(random: Random, { folders, uploads }: Branch): number {
  if (folders === 1) return uploads;
  return Math.min(uploads, Math.round((uploads / folders) * random.factor(directSpread)));
}

/** All that is in the branch but for its own folder and what is directly in that. */
function childrenOf(random: Random, branch: Branch): Branch[] {
  const below = branch.folders - 1;
  const drawn = Math.min(childrenMax, Math.ceil(childrenMedian * random.factor(childrenSpread)));
  const count = branch.depth === depthMax ? below : Math.min(below, drawn);
  const draw = (spread: number) => Array.from({ length: count }, () => random.factor(spread));
  const folders = sharesOf(below - count, draw(foldersSpread)).map((more) => 1 + more);
  const crowding = draw(uploadsSpread);
  const uploads = sharesOf(
    branch.uploads,
    folders.map((number, index) => number * crowding[index]!),
  );
  const firstWord = random.below(folderWords.length);
  return folders.map((number, index) => ({
    path: `${branch.path}/${nameOf(firstWord + index)}`,
    style: random.chance(sameStyleChance) ? branch.style : random.pickSkewed(nameStyles),
    depth: branch.depth + 1,
    folders: number,
    uploads: uploads[index]!,
  }));
}

/** Another name for every number. */
function nameOf(number: number): string {
  const word = folderWords[number % folderWords.length];
  const repetition = Math.floor(number / folderWords.length);
  return repetition === 0 ? `${word}` : `${word} ${2000 + repetition}`;
}
