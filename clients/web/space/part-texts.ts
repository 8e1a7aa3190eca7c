/** How parts are named, and where they lead. */
import { type Address, openingOf } from "../address/address.ts";
import { formatCount, formatName, formatSize } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import type { SpacePart } from "./space-parts.ts";

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** The smallest share that is not shown as zero. */
const shareMin = 0.001;

export interface PartTexts {
  readonly name: string;
  readonly size: string;
  readonly share: string;
  readonly uploads: string;
}

export function textsOf(part: SpacePart, totalBytes: number): PartTexts {
  const { sizeBytes, uploadCount } = part.totals;
  return {
    name: nameOf(part),
    size: formatSize(sizeBytes),
    share: formatShare(totalBytes === 0 ? 0 : sizeBytes / totalBytes),
    uploads: formatUploads(uploadCount),
  };
}

function formatShare(share: number): string {
  if (share > 0 && share < shareMin) return `< ${percent.format(shareMin)}`;
  return percent.format(share);
}

export function formatUploads(count: number): string {
  return strings.space.uploadsOf(formatCount(count), count === 1);
}

function nameOf(part: SpacePart): string {
  if (part.kind === "folder") return formatName(part.name);
  if (part.kind === "files") return strings.space.filesHere;
  return strings.space.otherFolders(formatCount(part.folderCount));
}

/** The change of the address that shows a part. Undefined: the rest is no place of its own. */
export function openingPart(part: SpacePart): Partial<Address> | undefined {
  if (part.kind === "folder") return openingOf(part.path);
  if (part.kind === "files") return { view: "list", query: "", isRecursive: false, upload: "" };
  return undefined;
}
