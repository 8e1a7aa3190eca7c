/** ListFolderTree for trees that are error-prone: names near the separator, deep, wide. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { create, fromBinary, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import {
  ListFolderTreeRequestSchema,
  ListFolderTreeResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import type { ListFolderTreeRequest } from "./model/list-folder-tree.ts";
import { type Line, readRecords } from "./model/records.ts";
import { bucketIds, bucketLine, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTree, listFolderTreePath } from "./testing/json-caller.ts";
import { assertTreeLikeModel } from "./testing/like-model.ts";

/** In byte order some of these are between a folder and its contents. */
const besideSeparator = [
  "/a",
  "/a b",
  "/a-b",
  "/a.b",
  "/a/b",
  "/a\u0001",
  "/a\u0002",
  "/a\u0001/b",
  "/a0",
  "/a!",
  "/a/\u0001",
  "/a/b/c",
  "/a b/c",
  "/a-b/c",
  "/A",
  "/A/b",
  "/a\u00e9",
  "/a\uff5e",
  "/a\u{1f600}",
];
const depth = 500;
const siblingsCount = 10_000;
/** Indexes have only the first seven characters of most of these. */
const twinIds = [..."b2a10"].map((last) => `abcdef0${last}`).concat("abcdef0", "abcdef", "abcdeg");

describe("trees of unusual shape", () => {
  const deepest = "/d".repeat(depth);
  const lines: Line[] = [
    bucketLine("primary"),
    ...besideSeparator
      .toReversed()
      .flatMap((path) => [
        { folder: { path } },
        { upload: { path, filename: "x", sizeBytes: 1, ...fixed(path) } },
      ]),
    bucketLine("second"),
    { upload: { path: deepest, filename: "bottom", sizeBytes: 3, ...fixed("bottom") } },
    ...Array.from({ length: siblingsCount }, (_, index) => ({
      folder: { path: `/wide/${(index * 7919) % siblingsCount}` },
    })),
    { upload: { path: "/wide/4711", filename: "found", sizeBytes: 5, ...fixed("found") } },
    ...twinIds.map((uploadId) => ({
      upload: { path: "/twins", filename: "twin", sizeBytes: 7, ...fixed("twin"), uploadId },
    })),
  ];
  const buckets = readRecords(lines);
  const second = { bucketRef: { bucketId: bucketIds.second } };

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  const check = (request: ListFolderTreeRequest) =>
    assertTreeLikeModel(deployment, buckets, callers.reader, request);

  it("do not mix siblings if the name of one is a prefix of another", async () => {
    await check({ includeUploads: true, includeRollups: true });
    for (const path of besideSeparator) {
      await check({ folder: { path }, includeUploads: true, includeRollups: true });
      await check({ pathFilter: { equals: path, caseSensitive: true }, includeUploads: true });
      await check({ pathFilter: { prefix: path }, includeRollups: true });
    }
  });

  it(`can be ${depth} levels deep`, async () => {
    const request = { ...second, folder: { path: "/d" } };
    await check({ ...request, includeUploads: true, includeRollups: true });
    for (const maxDepth of [1, 498, 499, 500]) await check({ ...request, maxDepth });
    await check({ ...request, uploadFilter: { equals: "bottom" }, onlyMatches: true });
    await check({ ...request, folder: { path: deepest }, includeUploads: true });
  });

  it(`can be ${depth} levels deep in binary too`, async () => {
    const request = { ...second, folder: { path: "/d" }, includeUploads: true };
    const json = await listFolderTree(deployment, callers.reader, request);
    const message = create(ListFolderTreeRequestSchema, {
      bucketRef: { reference: { case: "bucketId", value: bucketIds.second } },
      folder: { reference: { case: "path", value: "/d" } },
      includeUploads: true,
    });
    const answer = await callBinary(toBinary(ListFolderTreeRequestSchema, message));
    // Protobuf readers stop at 100 nested messages by default.
    const limits = { recursionLimit: 2 * depth };
    assert.deepEqual(
      fromBinary(ListFolderTreeResponseSchema, answer, limits),
      fromJson(ListFolderTreeResponseSchema, json as unknown as JsonValue, limits),
    );
  });

  async function callBinary(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const response = await fetch(new URL(listFolderTreePath, deployment.url), {
      method: "POST",
      headers: {
        authorization: `Bearer ${deployment.issuer.mint(callers.reader)}`,
        "connect-protocol-version": "1",
        "content-type": "application/proto",
      },
      body,
    });
    assert.equal(response.status, 200);
    return new Uint8Array(await response.arrayBuffer());
  }

  it(`can be ${siblingsCount} siblings wide`, async () => {
    const request = { ...second, folder: { path: "/wide" } };
    await check({ ...request, includeUploads: true, includeRollups: true });
    await check({ ...request, uploadFilter: { equals: "found" } });
    await check({ ...request, uploadFilter: { equals: "found" }, onlyMatches: true });
    await check({ ...request, pathFilter: { glob: "*/99??" } });
    await check({ ...second, maxDepth: 1, includeRollups: true });
  });

  it("list uploads with one name by ID, also those whose IDs begin alike", async () => {
    const request = { ...second, folder: { path: "/twins" }, includeUploads: true };
    await check(request);
    await check({ ...request, uploadFilter: { equals: "twin" } });
    await check({ ...request, uploadFilter: { contains: "t" } });
  });

  it("do not find a folder by a prefix of its name", async () => {
    await check({ folder: { path: "/wid" } });
    await check({ ...second, folder: { path: "/wid" } });
    await check({ ...second, folder: { path: "/wide/" } });
    await check({ ...second, folder: { path: "wide" } });
  });
});

/** The values that the import would otherwise choose. */
function fixed(id: string) {
  const time = "2026-01-01T00:00:00Z";
  return { uploadId: `upload ${id}`, createdAt: time, updatedAt: time };
}
