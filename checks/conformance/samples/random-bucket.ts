/** A bucket of random folders and uploads, the same for the same seed. */
import { randomInt } from "node:crypto";
import fc from "fast-check";
import type { Folder, Upload } from "../model/messages.ts";
import { isWithin } from "../model/path.ts";
import type { Line } from "../model/records.ts";
import { names } from "./names.ts";
import { integrationIds } from "./tenants.ts";

/**
 * The seed of all random records and requests of a run. Failures name it. To repeat a run, set
 * CONFORMANCE_SEED to its seed.
 */
export const seed = Number(process.env.CONFORMANCE_SEED ?? randomInt(1, 2 ** 31));

interface RandomBucketOptions {
  seed: number;
  folders: number;
  uploads: number;
}

export const tags = ["red", "Red", "re\u0301d", "r\u00e9d", "a b", "%", "100%", "\u{1f600}", "x,y"];

/** Lines without the bucket's own. Integrations hide some uploads and some nested folders. */
export function randomBucket({ seed, folders, uploads }: RandomBucketOptions): Line[] {
  const paths = growPaths(fc.sample(fc.tuple(fc.nat(), names), { seed, numRuns: folders }));
  const folderLines = fc
    .sample(folderFields, { seed, numRuns: paths.length })
    .map((fields, index): Line => ({ folder: completeFolder(fields, index, paths[index] ?? "") }))
    // The others are only implied by paths.
    .filter((_, index) => index % 5 !== 4);
  const uploadLines = fc
    .sample(uploadFields, { seed, numRuns: uploads })
    .map(({ place, ...fields }, index): Line => {
      const folder = paths[Math.floor(place ** 2 * (paths.length + 1)) - 1] ?? "/";
      return { upload: { ...fields, uploadId: uploadId(index), path: folder } };
    });
  return shuffled([...folderLines, ...uploadLines], seed);
}

/** Every path is a child of an earlier one, so that some are deep. */
function growPaths(steps: readonly (readonly [number, string])[]): string[] {
  const paths: string[] = [];
  for (const [place, name] of steps) {
    const parent = paths[place % (paths.length + 3)] ?? "";
    const path = `${parent}/${name}`;
    if (Buffer.byteLength(path) <= 1024 && !paths.includes(path)) paths.push(path);
  }
  return paths;
}

const folderFields = fc.record<Partial<Folder>>(
  {
    colour: fc.constantFrom("#ff8800", "blue"),
    isShareRoot: fc.boolean(),
    order: fc.integer({ min: -2, max: 2 }),
    virtualFileEnabled: fc.boolean(),
    virtualFileName: fc.constantFrom("all.zip", ""),
    virtualFileIntegrationId: fc.constantFrom(...Object.values(integrationIds)),
    externalPath: names,
  },
  { requiredKeys: [] },
);

function completeFolder(fields: Partial<Folder>, index: number, path: string): Partial<Folder> {
  const folder = { ...fields, path, folderId: folderId(index) };
  const integrations = [integrationIds.notes, integrationIds.scans, integrationIds.unknown];
  const scopingIntegrationId = integrations[index % 3] ?? "";
  if (index % 11 === 10) return { ...folder, integrationHidden: true, scopingIntegrationId };
  if (index % 97 === 96) return { ...folder, integrationHidden: true };
  return index % 4 === 0 ? { ...folder, scopingIntegrationId } : folder;
}

/** Few values, so that many are equal: a microsecond apart, around the ends of months. */
const times = fc
  .tuple(
    fc.constantFrom(
      "2024-12-31T23:59:59.99999",
      "2025-01-01T00:00:00.00000",
      "2025-02-28T23:59:59.99999",
      "2025-06-15T12:00:00.12345",
      "2026-11-20T08:30:00.00100",
      "0001-01-01T00:00:00.00000",
      "9999-12-31T23:59:59.99999",
      "1969-12-31T23:59:59.99999",
    ),
    fc.nat(9),
  )
  .map(([start, microsecond]) => `${start}${microsecond}Z`);

const uploadFields = fc
  .record(
    {
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      filename: names,
      sizeBytes: fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 1_000_000_000 })),
      createdAt: times,
      updatedAt: times,
      slug: names,
      order: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(-2147483648, 2147483647)),
      tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 4 }),
      type: fc.constantFrom("UPLOAD_TYPE_IMAGE", "UPLOAD_TYPE_TEXT", "UPLOAD_TYPE_UNSPECIFIED"),
      integrationId: fc.constantFrom(...Object.values(integrationIds)),
      integrationHidden: fc.nat(5).map((chance) => chance === 0),
      private: fc.boolean(),
      author: fc.record({ userId: fc.nat(), username: names }),
    },
    { requiredKeys: ["place", "filename", "sizeBytes", "createdAt", "updatedAt"] },
  )
  .map((fields) => fields as { place: number } & Partial<Upload>);

/** Most IDs are UUIDs. Others are texts that UTF-16 and code points order differently. */
function uploadId(index: number): string {
  const number = (index * 2_654_435_761) % 2 ** 32;
  const digits = number.toString(16).padStart(8, "0");
  if (index % 10 === 3) return `\uff5e ${digits}`;
  if (index % 10 === 7) return `\u{1f600} ${digits}`;
  return `${digits}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
}

function folderId(index: number): string {
  return `f01de400-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
}

/** Children may come before their parents, uploads before their folders. */
function shuffled(lines: readonly Line[], seed: number): Line[] {
  const [order = []] = fc.sample(
    fc.shuffledSubarray([...lines.keys()], { minLength: lines.length }),
    {
      seed,
      numRuns: 1,
    },
  );
  return order.flatMap((index) => lines[index] ?? []);
}

/** The folders with most uploads, for filters that should find something. */
export function fullestFolders(uploads: readonly Upload[], folders: readonly Folder[]): string[] {
  const countIn = (folder: string) => uploads.filter(({ path }) => isWithin(path, folder)).length;
  const counted = folders.map(({ path }) => ({ path, count: countIn(path) }));
  return counted.toSorted((left, right) => right.count - left.count).map(({ path }) => path);
}
