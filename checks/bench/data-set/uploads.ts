/** The uploads of the data sets as import lines, with every field that people's uploads have. */
import { integrationIds } from "./data-set.ts";
import { nameWords, tagWords, usernames } from "./names.ts";
import type { Random } from "./random.ts";

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

interface UploadPlace {
  readonly path: string;
  readonly filename: string;
  /** When its batch was uploaded, in microseconds since 1970. */
  readonly batchMicros: number;
  /** Its number in its folder, where people have put that in an order. */
  readonly order: number;
  readonly integrationId: string | undefined;
}

const daysMax = 400;
const microsPerDay = 86_400_000_000;

function uploadRecord(random: Random, place: UploadPlace): object {
  const { path, filename, order, integrationId } = place;
  const kind = kindOf(filename);
  const uploadId = random.uuid();
  const isPicture = kind.type === "UPLOAD_TYPE_IMAGE" || kind.type === "UPLOAD_TYPE_VIDEO";
  // Uploads of one batch often have the same time, and most are never changed again.
  const createdMicros = place.batchMicros + (random.chance(0.6) ? 0 : random.below(600_000_000));
  const laterMicros = random.chance(0.7)
    ? 0
    : Math.floor(random.fraction() * daysMax) * microsPerDay;
  const author = userOf(random);
  return {
    uploadId,
    filename,
    path,
    slug: random.chance(0.7) ? filename : `${slugOf(filename)}-${uploadId.slice(0, 6)}`,
    url: `https://files.example.com/u/${uploadId}`,
    contentUrl: `https://content.example.com/${uploadId.slice(0, 2)}/${uploadId}`,
    sizeBytes: drawSizeBytes(random, kind),
    type: kind.type,
    tags: tagsOf(random),
    integrationId,
    generatedDescription: isPicture && random.chance(0.3) ? descriptionOf(random) : undefined,
    metaUploads: isPicture && random.chance(0.6) ? [thumbnailOf(random, uploadId)] : undefined,
    private: random.chance(0.05) || undefined,
    aliases: random.chance(0.01) ? [{ slug: `s-${uploadId.slice(0, 8)}`, maxUses: 10 }] : undefined,
    createdAt: timeText(createdMicros),
    updatedAt: timeText(Math.min(createdMicros + laterMicros, microsMax)),
    author,
    lastModifiedBy: laterMicros === 0 ? author : userOf(random),
    thumbnailGenerationVersion: isPicture ? 3 : undefined,
    virusScanGenerationVersion: 12,
    intentMetadata: random.chance(0.005) ? { review: { state: "open", round: 2 } } : undefined,
    order,
  };
}

/** Until 2026-11-01, so that nothing is of the future. */
const microsMax = Date.UTC(2026, 10) * 1000;
const microsSince2016 = microsMax - Date.UTC(2016, 0) * 1000;

/** When a batch of uploads came: rather of late than long ago. */
function drawBatchMicros(random: Random): number {
  const ageMicros = Math.floor(random.fraction() ** 2 * microsSince2016);
  const micros = microsMax - ageMicros - daysMax * 1000;
  // Clocks of many sources stop at the second.
  return random.chance(0.5) ? micros - (micros % 1_000_000) : micros;
}

function timeText(micros: number): string {
  const fraction = `${micros % 1_000_000}`.padStart(6, "0");
  return `${new Date(micros / 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

function slugOf(filename: string): string {
  return filename.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, "-");
}

function tagsOf(random: Random): string[] {
  const count = random.chance(0.4) ? 0 : 1 + random.below(3);
  return [...new Set(Array.from({ length: count }, () => random.pickSkewed(tagWords)))];
}

function userOf(random: Random): object {
  const username = random.pickSkewed(usernames);
  return { userId: 1000 + usernames.indexOf(username), username };
}

function descriptionOf(random: Random): string {
  const [first, second, third] = Array.from({ length: 3 }, () => random.pick(nameWords));
  return `A ${first} beside a ${second}, seen from the ${third}; soft light, nobody in sight.`;
}

function thumbnailOf(random: Random, uploadId: string): object {
  const metadataId = random.uuid();
  return {
    type: { type: "MetaUploadType_THUMBNAIL", n: 1, filename: "thumbnail.webp" },
    metadataId,
    downloadUrl: `https://content.example.com/${uploadId.slice(0, 2)}/${metadataId}.webp`,
  };
}

interface FileKind {
  readonly type: string;
  readonly sizeBytesMedian: number;
}

/** By the extension's lower-case form; a name with another one is of no known kind. */
function kindOf(filename: string): FileKind {
  const extension = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase();
  return kinds.get(extension) ?? { type: "UPLOAD_TYPE_OTHER", sizeBytesMedian: 20_000 };
}

/** In bytes: most near the median of the kind, few far larger. */
function drawSizeBytes(random: Random, { sizeBytesMedian }: FileKind): number {
  return Math.round(Math.min(sizeBytesMedian * random.factor(sizeSpread), sizeBytesMax));
}

const sizeSpread = 1.6;
const sizeBytesMax = 5e12;

const kinds: ReadonlyMap<string, FileKind> = new Map(
  Object.entries({
    "IMAGE 2500000": "jpg jpeg png heic gif webp tif tiff svg raw xpm ico bmp",
    "VIDEO 80000000": "mp4 mov mkv webm avi",
    "AUDIO 6000000": "mp3 flac wav ogg m4a",
    "DOCUMENT 300000": "pdf docx xlsx pptx odt ods ps epub",
    "ARCHIVE 9000000": "zip gz tar xz bz2 7z deb jar",
    "TEXT 4000": "txt md csv json xml html css js ts py c h java sql yaml log mo po pl pm sh conf",
  }).flatMap(([kind, extensions]) => {
    const [type, median] = kind.split(" ");
    const made = { type: `UPLOAD_TYPE_${type}`, sizeBytesMedian: Number(median) };
    return extensions.split(" ").map((extension) => [extension, made] as const);
  }),
);
