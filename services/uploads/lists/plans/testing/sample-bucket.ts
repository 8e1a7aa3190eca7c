/** For tests: a bucket whose uploads are spread unevenly, and lists of it. */
import { create } from "@bufbuild/protobuf";
import { foldName } from "@stowage/api/names/fold-name";
import { everyNumber, union } from "@stowage/api/query/intervals";
import { UploadSchema, type UploadType } from "@stowage/api/svc/api/v1/upload_pb";
import fc from "fast-check";
import type pg from "pg";
import { visibilityOf } from "../../../access/visibility.ts";
import { searchPattern } from "../../../model/name-pattern.ts";
import { treeKey } from "../../../model/tree-key.ts";
import { subtreeRange } from "../../../model/tree-key-range.ts";
import {
  sortColumns,
  sortOrders,
  type UploadFilters,
  type UploadQuery,
} from "../../../model/upload-query.ts";
import type { PageRequest, UploadList } from "../parameters.ts";
import { writeBucket } from "./write-bucket.ts";

export const sampleBucket = {
  bucketId: "0b5c1d9e-3a58-4a5e-9c0e-0000000000aa",
  bucketNumber: 7,
};
const otherBucket = { bucketId: "0b5c1d9e-3a58-4a5e-9c0e-0000000000bb", bucketNumber: 8 };
const integrationId = "5f0c7a52-1c7e-4e0b-9a53-0d6f5b7f1c01";
/** Leads to the bucket. */
export const lookup = {
  organisationId: "o",
  clientId: "c",
  name: { bucketId: sampleBucket.bucketId },
};
const ownClientId = "client-of-the-integration";

const oftenFirst = <Value>(values: readonly Value[]) =>
  fc.oneof(
    ...values.map((value, index) => ({
      arbitrary: fc.constant(value),
      weight: Math.ceil(1000 * 2 ** -index),
    })),
  );

const folders = ["/inbox", "/a/b", "/a", "/", "/a/b/c d", "/a b", "/a/\u0001b", "/é/写"];
const words = [
  "report",
  "scan",
  "IMG",
  "a",
  "über",
  "写真",
  "quokka",
  "50%",
  "x_\\",
  "📷",
  "\u0001",
];
const extensions = [".pdf", ".jpg", "", ".tar.gz"];
const tags = ["red", "green", "a,b", "", "Größe", "\u0001", "x'\\y", "t".repeat(70)];
const longName = "long ".repeat(100);
/** The last of all names, and nearly the last of all IDs. */
const lastName = "\u{10ffff}".repeat(256);
const lastId = "\u{10ffff}".repeat(31);
/** Several IDs begin so that indexes have the same prefix of them. */
const idStarts = ["", "", "", "", "", "", "", "abcdef0", "", "0badc0de-", lastId];

const filename = fc.oneof(
  {
    weight: 50,
    arbitrary: fc
      .tuple(oftenFirst(words), fc.nat(500), oftenFirst(words), oftenFirst(extensions))
      .map(([first, number, second, extension]) => `${first}-${number}${second}${extension}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(longName, lastName) },
);

/** Few different times, since uploads come in batches. */
const seconds = fc.oneof(fc.nat(20), fc.nat(100_000)).map((value) => BigInt(value));

const upload = fc.record({
  path: oftenFirst(folders),
  filename,
  slug: fc.option(filename),
  sizeBytes: fc.oneof(fc.constant(0n), fc.bigInt(0n, 1_000_000n)),
  type: fc.nat(7),
  tags: fc.oneof(
    { weight: 5, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray(tags, { maxLength: 3 }) },
  ),
  order: oftenFirst([0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]),
  isHidden: fc.integer({ min: 0, max: 20 }).map((value) => value === 0),
  created: seconds,
  updated: seconds,
});

/** Writes the bucket, the same every time; needs empty tables. */
export async function fillBucket(client: pg.ClientBase, uploadCount: number): Promise<void> {
  const uploads = fc.sample(upload, { numRuns: uploadCount, seed: 1 }).map((row, line) => {
    const { isHidden, created, updated, slug, type, ...members } = row;
    return create(UploadSchema, {
      ...members,
      uploadId: `${idStarts[line % idStarts.length]}${(line * 7919) % uploadCount}`,
      slug: slug ?? members.filename,
      type: type as UploadType,
      createdAt: { seconds: created, nanos: 1000 },
      updatedAt: { seconds: updated },
      ...(isHidden && { integrationId, integrationHidden: true }),
    });
  });
  // One in ten is in the other bucket, which is never listed.
  const isOther = (line: number) => line % 10 === 0;
  await writeBucket(
    client,
    sampleBucket,
    uploads.filter((_, line) => !isOther(line)),
  );
  await writeBucket(
    client,
    otherBucket,
    uploads.filter((_, line) => isOther(line)),
  );
  await client.query(
    `insert into uploads.integrations
      (bucket_number, integration_id, name, oauth_client_id, folder_behavior, folder_link_url)
    select bucket_number, $1, '', $2, 0, '' from uploads.buckets`,
    [integrationId, ownClientId],
  );
  await client.query("vacuum analyze uploads.uploads, uploads.folders");
}

const searches = ["e", "写", "or", "%", "scan", "*.pdf", "report*", "r?port*", "??-*", "quokka"];
searches.push("img-1*a.jpg", "no such", "x_\\", "a/b", "*", "report-1*", "G-2", "📷", "-7", "long");

const someTags = fc.oneof(
  { weight: 8, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.subarray(tags, { maxLength: 2 }) },
);
const bound = fc.option(
  seconds.map((value) => value * 1_000_000n),
  { nil: undefined },
);

const wordTexts = [
  "e",
  "写",
  "or",
  "%",
  "scan",
  "report",
  "a",
  "/a/",
  "a/b",
  "b/scan",
  "/",
  "quokka",
];
wordTexts.push(
  "c d",
  "é/写/",
  "inbox/r",
  "-7",
  "📷",
  "x_\\",
  "img",
  "\u0001",
  "no such",
  "über",
  "写/im",
);
const patternTexts = ["*.pdf", "report*", "/a/*", "*/scan-1*", "??-*", "/inbox/*.jpg", "*/b/*a*"];

const word = fc.record({
  text: fc.constantFrom(...wordTexts.map(foldName)),
  isPattern: fc.constant(false),
  isExcluded: oftenFirst([false, true]),
});
const pattern = fc.record({
  text: fc.constantFrom(...patternTexts),
  isPattern: fc.constant(true),
  isExcluded: oftenFirst([false, true]),
});

/** Sets of numbers up to so many. */
const numbers = (max: bigint) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(everyNumber) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.tuple(fc.option(fc.bigInt(0n, max)), fc.option(fc.bigInt(0n, max))), {
          minLength: 1,
          maxLength: 2,
        })
        .map((ends) =>
          union(ends.map(([from, to]) => ({ from: from ?? undefined, to: to ?? undefined }))),
        ),
    },
  );

const someOf = <Value>(values: readonly Value[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.subarray([...values], { minLength: 1 }) },
  );

const filters: fc.Arbitrary<UploadFilters> = fc.record({
  words: fc.array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: pattern }), {
    maxLength: 3,
  }),
  folders: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom([subtreeRange(treeKey("/a"))], [subtreeRange(treeKey("/é"))], []),
    },
  ),
  sizes: numbers(1_000_000n),
  created: numbers(20_000_000n),
  updated: numbers(20_000_000n),
  types: someOf([0, 1, 2, 3, 4, 5, 6, 7]),
  extensions: someOf(["pdf", "jpg", "gz", "tar.gz"]),
  extensionsExcluded: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant(["pdf"]) },
  ),
});

const query: fc.Arbitrary<UploadQuery> = fc.record({
  path: fc.oneof(fc.constant(undefined), fc.constantFrom(...folders)),
  recursive: fc.boolean(),
  tags: fc.record({ allOf: someTags, anyOf: someTags, noneOf: someTags }),
  createdFrom: bound,
  createdTo: bound,
  name: fc.option(fc.constantFrom(...searches).map(searchPattern), { nil: undefined }),
  filters: fc.option(filters, { nil: undefined, freq: 2 }),
  sortBy: fc.constantFrom(...sortColumns),
  sortOrder: fc.constantFrom(...sortOrders),
});

const visibility = fc.constantFrom(
  visibilityOf(["/"], [], "c"),
  visibilityOf(["/"], [], undefined),
  visibilityOf(["/"], [], ownClientId),
  visibilityOf(["/"], [treeKey("/a/b"), treeKey("/é")], "c"),
  visibilityOf(["/a", "/inbox"], [treeKey("/a/b/c d")], ownClientId),
  visibilityOf(["/nowhere"], [], "c"),
);

export const someList: fc.Arbitrary<UploadList> = fc.record({
  bucketId: fc.constant(sampleBucket.bucketId),
  bucketNumber: fc.constant(sampleBucket.bucketNumber),
  lookup: fc.constant(lookup),
  visibility,
  query,
});

export const somePageSize: fc.Arbitrary<PageRequest["pageSize"]> = fc.oneof(
  fc.integer({ min: 1, max: 5 }),
  fc.integer({ min: 6, max: 60 }),
  fc.constant(1000),
);
