/** The kinds of files there are, by their extensions. */
import type { Random } from "./random.ts";

export interface FileKind {
  readonly type: string;
  readonly sizeBytesMedian: number;
}

/** By the extension's lower-case form; a name with another one is of no known kind. */
export function kindOf(filename: string): FileKind {
  const extension = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase();
  return kinds.get(extension) ?? { type: "UPLOAD_TYPE_OTHER", sizeBytesMedian: 20_000 };
}

/** In bytes: most near the median of the kind, few far larger. */
export function drawSizeBytes(random: Random, { sizeBytesMedian }: FileKind): number {
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
