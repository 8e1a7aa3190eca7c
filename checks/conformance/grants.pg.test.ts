/** `authorization_details` limit lists and trees. Compared with the model. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import type { Caller } from "./model/caller.ts";
import { type Line, readRecords } from "./model/records.ts";
import { authorizationDetails } from "./samples/authorization-details.ts";
import { listRequests } from "./samples/list-requests.ts";
import { randomBucket, seed } from "./samples/random-bucket.ts";
import { bucketIds, bucketLine, callers, integrationLines } from "./samples/tenants.ts";
import { treeRequests } from "./samples/tree-requests.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTree, listUploads } from "./testing/json-caller.ts";
import { assertListsLikeModel, assertTreeLikeModel } from "./testing/like-model.ts";

const read = { type: "bucket", actions: ["read"] };

describe(`authorization_details (seed ${seed})`, () => {
  const lines = [
    bucketLine("primary"),
    ...integrationLines,
    ...randomBucket({ seed, folders: 100, uploads: 500 }),
    bucketLine("second"),
    ...["/a", "/a/b", "/a/b/c", "/ab", "/a b", "/z"].map(
      (path): Line => ({
        upload: { path, filename: path.slice(1).replaceAll("/", ">"), sizeBytes: path.length },
      }),
    ),
  ];
  const buckets = readRecords(lines);
  const [primary] = buckets;
  if (!primary) throw new Error("the sample has a bucket");

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  const someCaller: fc.Arbitrary<Caller> = fc
    .tuple(
      fc.constantFrom(callers.reader, callers.notes, callers.scans),
      authorizationDetails(primary),
    )
    .map(([caller, details]) => ({ ...caller, authorizationDetails: details }));

  it("limit lists as in the model", () =>
    fc.assert(
      fc.asyncProperty(someCaller, listRequests(primary), (caller, request) =>
        assertListsLikeModel(deployment, buckets, caller, request),
      ),
      { seed, numRuns: randomCases(300) },
    ));

  it("limit trees and rollups as in the model", () =>
    fc.assert(
      fc.asyncProperty(someCaller, treeRequests(primary), (caller, request) =>
        assertTreeLikeModel(deployment, buckets, caller, request),
      ),
      { seed, numRuns: randomCases(400) },
    ));

  const second = { bucketRef: { bucketId: bucketIds.second } };

  const filenames = async (details: object[], request: object = {}) => {
    const caller = { ...callers.reader, authorizationDetails: details };
    const answer = await listUploads(deployment, caller, {
      ...second,
      sortBy: "filename",
      ...request,
    });
    if ("error" in answer) return answer.error.code;
    return answer.uploads.map(({ filename }) => filename).toReversed();
  };

  const treePaths = async (details: object[], request: object = {}) => {
    const caller = { ...callers.reader, authorizationDetails: details };
    const answer = await listFolderTree(deployment, caller, { ...second, ...request });
    if ("error" in answer) return answer.error.code;
    return JSON.stringify(answer).match(/(?<="path":")[^"]+/g) ?? [];
  };

  it("match whole path segments only", async () => {
    assert.deepEqual(await filenames([{ ...read, locations: ["/a"] }]), ["a", "a>b", "a>b>c"]);
  });

  it("never combine parts of different entries", async () => {
    const location = { type: "bucket", actions: ["write"], locations: ["/z"] };
    const action = { ...read, locations: ["/a/b/c"] };
    assert.deepEqual(await filenames([location, action]), ["a>b>c"]);
    const elsewhere = { ...read, identifier: bucketIds.primary };
    assert.equal(await filenames([elsewhere, location]), "not_found");
  });

  it("grant the union of their entries", async () => {
    const entries = ["/z", "/a/b", "/a b"].map((location) => ({ ...read, locations: [location] }));
    assert.deepEqual(await filenames(entries), ["a b", "a>b", "a>b>c", "z"]);
  });

  it("make a path outside an empty list, and a folder outside unknown", async () => {
    const details = [{ ...read, locations: ["/a/b"] }];
    assert.deepEqual(await filenames(details, { path: "/z" }), []);
    assert.deepEqual(await filenames(details, { path: "/a" }), []);
    assert.deepEqual(await filenames(details, { path: "/a", recursive: true }), ["a>b", "a>b>c"]);
    assert.equal(await treePaths(details, { folder: { path: "/z" } }), "not_found");
    assert.equal(await treePaths(details, { folder: { path: "/ab" } }), "not_found");
  });

  it("allow the tree above a location, without its siblings", async () => {
    const details = [{ ...read, locations: ["/a/b"] }];
    assert.deepEqual(await treePaths(details), ["/a", "/a/b", "/a/b/c"]);
    assert.deepEqual(await treePaths(details, { folder: { path: "/a" } }), ["/a/b", "/a/b/c"]);
    assert.deepEqual(await treePaths(details, { folder: { path: "/a/b" } }), ["/a/b/c"]);
  });

  it("have no effect if they are for other services", async () => {
    const all = ["a", "a b", "a>b", "a>b>c", "ab", "z"];
    assert.deepEqual(await filenames([{ type: "mailbox", locations: ["/z"] }]), all);
    assert.deepEqual(await filenames([]), all);
  });
});
