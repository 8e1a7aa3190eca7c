/** A tree is the same in JSON, which is streamed, and in binary, which is not. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { writeJson } from "@stowage/api/json/write-json";
import {
  ListFolderTreeRequestSchema,
  ListFolderTreeResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import type { Caller } from "./model/caller.ts";
import type { ListFolderTreeRequest } from "./model/list-folder-tree.ts";
import { readRecords } from "./model/records.ts";
import { randomBucket, seed } from "./samples/random-bucket.ts";
import { bucketLine, callers, integrationLines } from "./samples/tenants.ts";
import { treeRequests } from "./samples/tree-requests.ts";
import { binaryClients } from "./testing/binary-caller.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTree } from "./testing/json-caller.ts";
import { assertSameJson } from "./testing/like-model.ts";

const lines = [
  bucketLine("primary"),
  ...integrationLines,
  ...randomBucket({ seed, folders: 150, uploads: 500 }),
];
const [primary] = readRecords(lines);
if (!primary) throw new Error("the sample has a bucket");
const [first, second] = primary.folders.map(({ path }) => path).filter((path) => path !== "/");

/** Callers that see everything not hidden, what is hidden from others, and parts. */
const allCallers: readonly Caller[] = [
  callers.reader,
  callers.notes,
  {
    ...callers.scans,
    authorizationDetails: [{ type: "bucket", actions: ["read"], locations: [first, second] }],
  },
];

describe(`a tree in JSON and in binary (seed ${seed})`, () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  async function inBinary(caller: Caller, request: ListFolderTreeRequest): Promise<JsonValue> {
    const asked = fromJson(ListFolderTreeRequestSchema, request as JsonValue);
    try {
      const { folders } = binaryClients(deployment, caller);
      const answer = await folders.listFolderTree(asked);
      return writeJson(ListFolderTreeResponseSchema, answer);
    } catch (error) {
      assert.ok(error instanceof ConnectError);
      return Code[error.code].toLowerCase();
    }
  }

  async function inJson(caller: Caller, request: ListFolderTreeRequest): Promise<unknown> {
    const answer = await listFolderTree(deployment, caller, request);
    return "error" in answer ? answer.error.code.replaceAll("_", "") : answer;
  }

  it("is the same for random requests of every caller", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...allCallers),
        treeRequests(primary),
        async (caller, request) => {
          const context = JSON.stringify({ caller, request });
          assertSameJson(await inJson(caller, request), await inBinary(caller, request), context);
        },
      ),
      { seed, numRuns: randomCases(200) },
    ));
});
