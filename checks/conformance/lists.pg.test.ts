/** ListUploads over a few thousand random uploads. Every row is compared with the model. */
import { after, before, describe, it } from "node:test";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import type { ListUploadsRequest } from "./model/list-uploads.ts";
import { readRecords } from "./model/records.ts";
import { listRequests, singleFilters, sorts } from "./samples/list-requests.ts";
import { randomBucket, seed } from "./samples/random-bucket.ts";
import { bucketIds, bucketLine, callers, integrationLines } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { assertListsLikeModel } from "./testing/like-model.ts";
import { concurrently } from "./testing/read-pages.ts";

describe(`lists of random uploads (seed ${seed})`, () => {
  const lines = [
    bucketLine("primary"),
    ...integrationLines,
    ...randomBucket({ seed, folders: 150, uploads: 2500 }),
    // Another bucket of the organisation with the same names, which must not appear here.
    bucketLine("second"),
    ...randomBucket({ seed, folders: 20, uploads: 100 }),
  ];
  const buckets = readRecords(lines);
  const [primary, second] = buckets;
  if (!primary || !second) throw new Error("the sample has two buckets");
  const filters = singleFilters(primary);

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  const check = (request: ListUploadsRequest, caller = callers.reader) =>
    assertListsLikeModel(deployment, buckets, caller, request);

  it("are complete and in order, for every sort without a filter", () =>
    concurrently([{}, ...sorts], (sort) => check({ ...sort, pageSize: 1000 })));

  for (const [name, filter] of Object.entries(filters)) {
    it(`are right with ${name}, in every sort`, () =>
      concurrently(sorts, (sort) => check({ ...filter, ...sort, pageSize: 1000 })));
  }

  it("are right with every pair of filters, each in some sort", () =>
    concurrently(pairs(Object.values(filters)), async ([one, other], index) => {
      const sort = sorts[index % sorts.length];
      await check({ ...one, ...other, ...sort, pageSize: 1000 });
    }));

  it("are right for random requests of every caller", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(callers.reader, callers.notes, callers.scans),
        listRequests(primary),
        fc.constantFrom({}, { hostname: "PRIMARY.example.com" }, { bucketId: primary.bucketId }),
        async (caller, request, bucketRef) => {
          const isNamed = Object.keys(bucketRef).length > 0;
          await check(isNamed ? { ...request, bucketRef } : request, caller);
        },
      ),
      { seed, numRuns: randomCases(400) },
    ));

  it("are right for random requests of another bucket of the organisation", () =>
    fc.assert(
      fc.asyncProperty(listRequests(second), async (request) => {
        await check({ ...request, bucketRef: { bucketId: bucketIds.second } });
      }),
      { seed, numRuns: randomCases(100) },
    ));
});

/** All pairs without a common member. With one, the second filter would replace the first. */
function pairs(filters: readonly ListUploadsRequest[]): [ListUploadsRequest, ListUploadsRequest][] {
  return filters.flatMap((one, index) =>
    filters
      .slice(index + 1)
      .filter((other) => Object.keys(one).every((member) => !Object.hasOwn(other, member)))
      .map((other): [ListUploadsRequest, ListUploadsRequest] => [one, other]),
  );
}
