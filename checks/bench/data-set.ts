/** What is loaded before anything is measured: uploads made from a seed, as import lines. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { basename, dirname, resolve } from "node:path/posix";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { wholeNumber } from "./tables.ts";

export interface DataSet {
  /** What it is called on disk. */
  readonly name: string;
  /** What it is, for people. */
  readonly description: string;
  /** Tells apart what other code has loaded. */
  readonly digest: string;
  /** Lines for the importer, always the same ones. */
  lines(): Iterable<string>;
}

export const bucketId = "0b4c3a52-7d1e-4f60-8a21-9c3e5d7f1a00";
export const organisationId = "organisation-of-the-benchmark";

const bucket = { bucketId, hostname: "benchmark.example.com", organisationId, primary: true };

const seed = 1;
const linesOfDigest = 5000;

export function generatedDataSet(uploads: number): DataSet {
  const hash = createHash("sha256");
  for (const line of linesOf(uploads).take(linesOfDigest)) hash.update(line);
  return {
    name: `rows-${uploads}-seed-${seed}`,
    description: `${wholeNumber(uploads)} uploads made from seed ${seed}`,
    digest: hash.digest("hex"),
    lines: () => linesOf(uploads),
  };
}

/** An upload for each line of a text with paths: their names are real, the rest is made. */
export function pathsDataSet(paths: string): Pick<DataSet, "lines"> {
  return {
    *lines() {
      const random = new Random(seed);
      yield JSON.stringify({ bucket });
      for (const line of paths.split("\n")) {
        const path = resolve("/", line);
        if (path === "/") continue;
        const {
          slug: _,
          uploadId: __,
          ...upload
        } = JSON.parse(uploadLine(random, dirname(path), basename(path))).upload;
        yield JSON.stringify({ upload });
      }
    },
  };
}

/** Writes the lines to a file for the importer. */
export async function writeLines(dataSet: Pick<DataSet, "lines">, file: string): Promise<void> {
  const lines = dataSet.lines();
  const chunks = function* () {
    for (const line of lines) yield `${line}\n`;
  };
  await pipeline(Readable.from(chunks()), createWriteStream(file));
}

/** The folder whose list has 200 pages; at most a quarter of all uploads is in it. */
export const largeFolder = "/Scans/Incoming";
const largeFolderUploads = 10_500;
const foldersPerUpload = 0.27;

/** Folders of folders, a few crowded, and most with few uploads. */
function* linesOf(uploads: number): Generator<string> {
  const random = new Random(seed);
  yield JSON.stringify({ bucket });
  const large = Math.min(largeFolderUploads, Math.floor(uploads / 4));
  for (let number = 0; number < large; number++) {
    const filename = `scan-${`${number}`.padStart(6, "0")}.${random.chance(0.9) ? "pdf" : "tiff"}`;
    yield uploadLine(random, largeFolder, filename);
  }
  const paths: string[] = [""];
  let left = uploads - large;
  for (let folders = Math.round(uploads * foldersPerUpload); left > 0; folders--) {
    // Early folders have more children: those are the large subtrees.
    const parent = paths[Math.floor(random.fraction() ** 2 * paths.length)]!;
    const isDeep = parent.split("/").length > depthMax;
    const path = `${isDeep ? "" : parent}/${random.pickSkewed(words)} ${paths.length}`;
    paths.push(path);
    const mean = left / Math.max(1, folders);
    const count = folders <= 1 ? left : Math.round(Math.min(left, mean * random.factor(1.5)));
    left -= count;
    if (count === 0) yield JSON.stringify({ folder: { path } });
    const nameOf = random.pickSkewed(nameStyles);
    for (let number = 0; number < count; number++) {
      yield uploadLine(random, path, nameOf(random, number));
    }
  }
}

const depthMax = 12;

/** How the files of one folder are named: another name for every number. */
const nameStyles: readonly ((random: Random, number: number) => string)[] = [
  (_, number) => `IMG_${1000 + number}.${number % 9 === 0 ? "mp4" : "jpg"}`,
  (random, number) =>
    `${random.words(" ")} ${2016 + random.below(11)} (${number}).${random.pickSkewed(endings)}`,
  (random, number) => `${random.words("-")}_${number}.${random.pickSkewed(endings)}`,
  (random, number) => `export_${random.words("_")}_${number}.${random.pickSkewed(archives)}`,
  (random, number) => `${random.pickSkewed(scripts)} ${number}.jpg`,
];
const endings = "pdf docx xlsx png html PDF odt csv json ts md".split(" ");
const archives = "tar.gz csv.gz zip sql.xz".split(" ");
const scripts = "写真 Фото Größenübersicht Señal ΣΟΦΙΑΣ".split(" ");
const words = (
  "report invoice summary contract notes minutes proposal budget schedule plan draft review " +
  "letter receipt offer overview manual poster banner logo harbour lighthouse meadow forest " +
  "bridge tower garden annual quarterly weekly final signed internal customer autumn winter " +
  "übersicht café naïve"
).split(" ");
/** Found in one name of some thousands. */
const rareWords = "quokka axolotl zeppelin obelisk vexillology fjord".split(" ");
const tags = "approved draft public internal archive 2026 print web press legal finance".split(" ");
const usernames = "amelie bogdan chiara dmitri fatima grzegorz hannah ines jonas".split(" ");

/** Until 2026-11-01, so that nothing is of the future. */
const lastMs = Date.UTC(2026, 10);
const tenYearsMs = lastMs - Date.UTC(2016, 0);

function uploadLine(random: Random, path: string, filename: string): string {
  const uploadId = random.uuid();
  // Rather of late than long ago. Clocks of many sources stop at the second.
  const createdMs = Math.floor(lastMs - random.fraction() ** 2 * tenYearsMs);
  const createdAt = new Date(createdMs - (random.chance(0.5) ? createdMs % 1000 : 0)).toISOString();
  const isPicture = /\.(?:jpg|mp4|png|tiff)$/.test(filename);
  const author = { userId: 1000 + random.below(50), username: random.pickSkewed(usernames) };
  const upload = {
    uploadId,
    filename,
    path,
    slug: `${filename.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, "-")}-${uploadId.slice(0, 6)}`,
    url: `https://files.example.com/u/${uploadId}`,
    contentUrl: `https://content.example.com/${uploadId.slice(0, 2)}/${uploadId}`,
    sizeBytes: Math.round((isPicture ? 2_500_000 : 60_000) * random.factor(1.6)),
    type: isPicture ? "UPLOAD_TYPE_IMAGE" : "UPLOAD_TYPE_DOCUMENT",
    tags: random.chance(0.4)
      ? []
      : [...new Set([random.pickSkewed(tags), random.pickSkewed(tags)])],
    ...(isPicture && {
      generatedDescription: `A ${random.words(" beside a ")}; soft light, nobody in sight.`,
    }),
    private: random.chance(0.05),
    createdAt,
    updatedAt: random.chance(0.7) ? createdAt : new Date(lastMs - createdMs / 1000).toISOString(),
    author,
    lastModifiedBy: author,
    order: random.chance(0.15) ? random.below(100) : 0,
  };
  return JSON.stringify({ upload });
}

/** Random numbers that a seed determines: "mulberry32". */
class Random {
  #counter: number;

  constructor(seed: number) {
    this.#counter = seed | 0;
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    this.#counter = (this.#counter + 0x6d2b79f5) | 0;
    let bits = this.#counter;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** The first elements far more often than the last, as with words of a language. */
  pickSkewed<Element>(elements: readonly Element[]): Element {
    return elements[Math.floor(this.fraction() ** 2.5 * elements.length)]!;
  }

  words(separator: string): string {
    const first = this.pickSkewed(this.chance(1 / 4000) ? rareWords : words);
    return `${first}${separator}${this.pickSkewed(words)}`;
  }

  /** Around 1, now and then far off. @param spread standard deviation of its natural logarithm. */
  factor(spread: number): number {
    // Box and Muller's way to a normal distribution; 1 - fraction() is never 0.
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return Math.exp(spread * radius * Math.cos(2 * Math.PI * this.fraction()));
  }

  /** In UUID form, version 4. */
  uuid(): string {
    const word = () =>
      this.below(2 ** 32)
        .toString(16)
        .padStart(8, "0");
    const digits = `${word()}${word()}${word()}${word()}`;
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
  }
}
