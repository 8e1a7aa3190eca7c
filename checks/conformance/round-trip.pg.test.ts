/** Every field of every message, from an import of NDJSON to the answers, in JSON and binary. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  create,
  type DescMessage,
  equals,
  fromJson,
  type JsonObject,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  ListFolderTreeRequestSchema,
  ListFolderTreeResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import {
  ListUploadsRequestSchema,
  ListUploadsResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { ListFolderTreeRequest } from "./model/list-folder-tree.ts";
import type { ListUploadsRequest } from "./model/list-uploads.ts";
import { enumMemberFolders, enumMemberUploads } from "./samples/enum-members.ts";
import {
  bareFolderAnswer,
  bareUploadAnswer,
  everyFieldLines,
  fullFolder,
  fullUpload,
  upperFolderAnswer,
} from "./samples/every-field.ts";
import { bucketIds, bucketLine, callers } from "./samples/tenants.ts";
import { binaryClients } from "./testing/binary-caller.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { notShown } from "./testing/field-coverage.ts";
import { listFolderTree } from "./testing/json-caller.ts";
import { readPage } from "./testing/read-pages.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const second = { bucketRef: { bucketId: bucketIds.second } };

describe("every field", () => {
  let deployment: Deployment;
  let importedFrom: number;
  let importedTo: number;
  before(async () => {
    importedFrom = Date.now();
    const memberLines = [bucketLine("second"), ...enumMemberUploads, ...enumMemberFolders];
    deployment = await deploy({ lines: [...everyFieldLines, ...memberLines] });
    importedTo = Date.now();
  });
  after(() => deployment?.close());

  const listed = (request: ListUploadsRequest) => readPage(deployment, callers.notes, request);

  const shownTree = async (request: ListFolderTreeRequest) => {
    const tree = await listFolderTree(deployment, callers.notes, request);
    if ("error" in tree) assert.fail(tree.text);
    return tree;
  };

  it("is in the answer of ListUploads as it was imported", async () => {
    const page = await listed({ path: "/every/field" });
    assert.deepEqual(page, { uploads: [fullUpload], nextCursor: "", isPartial: false });
  });

  it("is in the answer of ListFolderTree as it was imported", async () => {
    const request = { folder: { path: "/every" }, includeUploads: true, includeRollups: true };
    const totals = { uploadCount: 1, subtreeUploadCount: 1 };
    const sizes = { sizeBytes: fullUpload.sizeBytes, subtreeSizeBytes: fullUpload.sizeBytes };
    assert.deepEqual(await shownTree(request), {
      children: [
        {
          folder: fullFolder,
          children: [],
          matchesFilter: false,
          uploads: [fullUpload],
          truncated: false,
          rollup: { ...totals, ...sizes },
        },
      ],
      uploads: [],
      rollup: { ...totals, ...sizes, uploadCount: 0, sizeBytes: 0 },
      isPartial: false,
    });
  });

  it("has its default if the import left it out, in ListUploads", async () => {
    const { uploads, ...rest } = await listed({ path: "/bare" });
    const [{ uploadId, createdAt, updatedAt, ...upload } = assert.fail("no upload")] = uploads;
    assert.deepEqual(rest, { nextCursor: "", isPartial: false });
    assert.deepEqual(upload, bareUploadAnswer);
    assert.match(uploadId, uuid);
    for (const time of [createdAt, updatedAt]) {
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?Z$/);
      const milliseconds = Date.parse(time);
      assert.ok(milliseconds >= importedFrom - 1 && milliseconds <= importedTo + 1, time);
    }
  });

  it("has its default if the import left it out, in ListFolderTree", async () => {
    const tree = await shownTree({});
    const [bare, every] = tree.children;
    assert.ok(bare && every);
    const { folderId, ...folder } = bare.folder;
    assert.match(folderId, uuid);
    assert.deepEqual(folder, bareFolderAnswer);
    assert.deepEqual(every.folder, upperFolderAnswer);
    const leaf = { children: [], matchesFilter: false, uploads: [], truncated: false };
    assert.deepEqual({ ...bare, folder: {} }, { folder: {}, ...leaf });
    assert.deepEqual({ ...tree, children: [] }, { children: [], uploads: [], isPartial: false });
  });

  it("occurs in these samples, as does every enumeration member", async () => {
    const counted = { includeCount: true };
    const pages = [
      ...[await listed({ pageSize: 1 }), await listed({})],
      ...[await listed(counted), await listed(second)],
    ];
    const trees = [
      await shownTree({ includeUploads: true, includeRollups: true, maxDepth: 1 }),
      await shownTree({ includeUploads: true, pathFilter: { prefix: "/" } }),
      await shownTree({
        folder: { path: "/every/field" },
        includeUploads: true,
        includeRollups: true,
      }),
      await shownTree({ ...second, includeUploads: true }),
    ];
    const asJson = (answers: readonly object[]) => answers as readonly JsonObject[];
    // Only buckets with sources have these: see buckets.pg.test.ts.
    const ofSources = ["completeAsOf", "isPartial"];
    for (const [schema, answers] of [
      [ListUploadsResponseSchema, pages],
      [ListFolderTreeResponseSchema, trees],
    ] as const) {
      const expected = ofSources.map((name) => `${schema.typeName}.${name}`);
      assert.deepEqual(notShown(schema, asJson(answers)), expected);
    }
  });

  it("of an integration changes in its uploads and folders with the integration", async () => {
    const { integrationId } = fullUpload;
    const renamed = { ...fullUpload.integration, integrationId, name: "Renamed" };
    const line = everyFieldLines[0] ?? assert.fail("no bucket line");
    await deployment.load([line, { integration: renamed }]);
    const page = await listed({ path: "/every/field" });
    assert.deepEqual(page.uploads, [{ ...fullUpload, integration: renamed }]);
    const tree = await shownTree({ folder: { path: "/every" }, includeUploads: true });
    const [node] = tree.children;
    assert.deepEqual(node?.folder, { ...fullFolder, scopingIntegration: renamed });
    assert.deepEqual(node?.uploads, page.uploads);
  });

  it("is the same in binary from ListUploads", async () => {
    const { uploads } = binaryClients(deployment, callers.notes);
    const counted = { includeCount: true, query: "bare" };
    for (const request of [{}, { pageSize: 1 }, { path: "/bare" }, counted, second]) {
      const message = fromJson(ListUploadsRequestSchema, request);
      const binary = await uploads.listUploads(initOf(message));
      const page = await listed(request);
      assertSame(ListUploadsResponseSchema, binary, page);
    }
  });

  it("is the same in binary from ListFolderTree", async () => {
    const { folders } = binaryClients(deployment, callers.notes);
    const all = { includeUploads: true, includeRollups: true };
    const filtered = { pathFilter: { glob: "*f*" }, uploadFilter: { contains: "\u00c9" } };
    for (const request of [{}, all, { ...all, maxDepth: 1 }, { ...all, ...filtered }, second]) {
      const message = fromJson(ListFolderTreeRequestSchema, request);
      const binary = await folders.listFolderTree(initOf(message));
      assertSame(ListFolderTreeResponseSchema, binary, await shownTree(request));
    }
  });
});

/** A message is a valid initial value, but not by the types of nested messages. */
function initOf<Desc extends DescMessage>(message: MessageShape<Desc>): MessageInitShape<Desc> {
  return message as unknown as MessageInitShape<Desc>;
}

/** The binary answer and the JSON answer, read as protobuf JSON, are the same message. */
function assertSame<Desc extends DescMessage>(
  schema: Desc,
  binary: MessageShape<Desc>,
  json: object,
): void {
  const read = fromJson(schema, json as JsonObject);
  assert.ok(equals(schema, binary, read));
  assert.ok(!equals(schema, binary, create(schema)), "the answer is not empty");
}
