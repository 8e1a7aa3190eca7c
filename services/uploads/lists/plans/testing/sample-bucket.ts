/** For tests: a bucket whose uploads are spread unevenly, and lists of it. */
import { create } from "@bufbuild/protobuf";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import fc from "fast-check";
import type pg from "pg";
import { visibilityOf } from "../../../access/visibility.ts";
import { uploadValues } from "../../../import/records/column-values.ts";
import { searchPattern } from "../../../model/name-pattern.ts";
import { treeKey } from "../../../model/tree-key.ts";
import { sortColumns, sortOrders, type UploadQuery } from "../../../model/upload-query.ts";
import { copiedTable } from "../../../postgres/copy-in.ts";
import type { PageRequest, UploadList } from "../parameters.ts";

export const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-0000000000aa";
/** Another bucket whose terms are the same, since its ID ends alike. */
const otherBucketId = "0b5c1d9e-3a58-4a5e-9c0e-0000000100aa";
const integrationId = "5f0c7a52-1c7e-4e0b-9a53-0d6f5b7f1c01";
/** Leads to the bucket. */
export const lookup = { organisationId: "o", clientId: "c", name: { bucketId } };
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
  const buckets = [bucketId, otherBucketId];
  // That folders exist is not what this is about.
  await client.query(`alter table uploads.uploads drop constraint uploads_folder`);
  for (const [index, id] of buckets.entries()) {
    const text = "insert into uploads.buckets values ($1, $2, 'o')";
    await client.query(text, [id, `${index}.example.com`]);
    await client.query(
      `insert into uploads.integrations
         (bucket_id, integration_id, name, oauth_client_id, folder_behavior, folder_link_url)
       values ($1, $2, '', $3, 0, '')`,
      [id, integrationId, ownClientId],
    );
  }
  const table = copiedTable(client, "uploads.uploads", uploadValues);
  for (const [line, row] of fc.sample(upload, { numRuns: uploadCount, seed: 1 }).entries()) {
    const { isHidden, created, updated, slug, ...members } = row;
    const made = create(UploadSchema, {
      ...members,
      uploadId: `${line % 100 === 0 ? lastId : ""}${(line * 7919) % uploadCount}`,
      slug: slug ?? members.filename,
      createdAt: { seconds: created, nanos: 1000 },
      updatedAt: { seconds: updated },
      ...(isHidden && { integrationId, integrationHidden: true }),
    });
    // One in ten is in the other bucket, which is never listed.
    const inBucket = line % 10 === 0 ? otherBucketId : bucketId;
    table.add({ kind: "upload", bucketId: inBucket, line, upload: made });
    await table.send(false);
  }
  await table.send(true);
  await client.query(`insert into uploads.bucket_sizes
    select bucket_id, 0, count(*) from uploads.uploads group by bucket_id`);
  await client.query("vacuum analyze uploads.uploads");
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

const query: fc.Arbitrary<UploadQuery> = fc.record({
  path: fc.oneof(fc.constant(undefined), fc.constantFrom(...folders)),
  recursive: fc.boolean(),
  tags: fc.record({ allOf: someTags, anyOf: someTags, noneOf: someTags }),
  createdFrom: bound,
  createdTo: bound,
  name: fc.option(fc.constantFrom(...searches).map(searchPattern), { nil: undefined }),
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
  bucketId: fc.constant(bucketId),
  lookup: fc.constant(lookup),
  visibility,
  query,
});

export const somePageSize: fc.Arbitrary<PageRequest["pageSize"]> = fc.oneof(
  fc.integer({ min: 1, max: 5 }),
  fc.integer({ min: 6, max: 60 }),
  fc.constant(1000),
);
