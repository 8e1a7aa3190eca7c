/** What the bytes of a folder consist of: its folders, and the files directly in it. */
import type { FolderLevel } from "../folders/folder-level.ts";

/** Uploads and bytes. */
type Totals = FolderLevel["totals"];

interface FolderPart {
  readonly kind: "folder";
  readonly path: string;
  readonly name: string;
  readonly totals: Totals;
}

/** Files directly in the folder. */
interface FilesPart {
  readonly kind: "files";
  readonly totals: Totals;
}

/** Folders that are too small, or too many, to be shown one by one. */
interface RestPart {
  readonly kind: "rest";
  readonly folderCount: number;
  readonly totals: Totals;
}

export type SpacePart = FolderPart | FilesPart | RestPart;

interface Limits {
  /** Most parts, 3 or more. */
  readonly partsMax: number;
  /**
   * Folders with a smaller share of the bytes go into the rest: 0 to 1. If that would be most of
   * the bytes, only `partsMax` counts: otherwise nothing would be seen of many equal folders.
   */
  readonly shareMin: number;
}

/** The largest first, the rest last. Their totals add up to those of the folder. */
export function partsOf(level: FolderLevel, { partsMax, shareMin }: Limits): readonly SpacePart[] {
  const folders = level.folders
    .map(({ path, name, totals }): FolderPart => ({ kind: "folder", path, name, totals }))
    .sort((one, other) => other.totals.sizeBytes - one.totals.sizeBytes);
  const files = filesOf(level);
  const ofSize = (sizeMin: number) => folders.filter(({ totals }) => totals.sizeBytes >= sizeMin);
  const large = ofSize(Math.max(1, level.totals.sizeBytes * shareMin));
  const isMostlyRest =
    sumOf(folders).sizeBytes - sumOf(large).sizeBytes > level.totals.sizeBytes / 2;
  // Two places are for the files and the rest.
  const shownMax = Math.min(partsMax - 2, (isMostlyRest ? ofSize(1) : large).length);
  // A rest of one folder needs as much space as that folder.
  const shown = folders.slice(0, shownMax === folders.length - 1 ? folders.length : shownMax);
  const parts: SpacePart[] = files === undefined ? shown : [...shown, files];
  parts.sort((one, other) => other.totals.sizeBytes - one.totals.sizeBytes);
  const rest = folders.slice(shown.length);
  if (rest.length === 0) return parts;
  return [...parts, { kind: "rest", folderCount: rest.length, totals: sumOf(rest) }];
}

function filesOf({ folders, totals }: FolderLevel): FilesPart | undefined {
  const inFolders = sumOf(folders);
  const uploadCount = totals.uploadCount - inFolders.uploadCount;
  // Totals that changed between two calls may not add up for a moment.
  const sizeBytes = Math.max(0, totals.sizeBytes - inFolders.sizeBytes);
  return uploadCount <= 0 ? undefined : { kind: "files", totals: { uploadCount, sizeBytes } };
}

function sumOf(parts: readonly { readonly totals: Totals }[]): Totals {
  let [uploadCount, sizeBytes] = [0, 0];
  for (const { totals } of parts) {
    uploadCount += totals.uploadCount;
    sizeBytes += totals.sizeBytes;
  }
  return { uploadCount, sizeBytes };
}

/** Tells the parts of one folder apart. */
export function keyOf(part: SpacePart): string {
  return part.kind === "folder" ? part.path : part.kind;
}
