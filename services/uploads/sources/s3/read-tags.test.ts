import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ListedObject } from "../lister.ts";
import { nowhere, useFaultyProxy } from "../testing/no-store.ts";
import { withTags } from "./read-tags.ts";
import { openStore } from "./store.ts";

const { signal } = new AbortController();

function storeAt(endpoint: string) {
  return openStore({ bucket: "content", endpoint, pathStyle: true }, { attemptsMax: 1 });
}

it("objects whose keys no request can name stay in the listing, without their tags", async () => {
  const key = Buffer.from("bad\xff", "latin1");
  const times = { createdAtMicros: undefined, updatedAtMicros: 1n };
  const many = Array.from({ length: 30 }, (): ListedObject => ({ key, sizeBytes: 1, ...times }));
  const { objects, leftOut } = await withTags(storeAt(nowhere), many, signal);
  assert.deepEqual(objects, many);
  const reason = "its key is not UTF-8, so its tags cannot be read; the object is there";
  assert.deepEqual(leftOut.at(-1), { key, reason, isUnreadable: false, isPart: true });
});

describe("an object of which a store has no tags", () => {
  const proxy = useFaultyProxy();

  const times = { createdAtMicros: undefined, updatedAtMicros: 1n };
  const object: ListedObject = { key: "a", sizeBytes: 1, ...times };

  for (const code of ["NoSuchKey", "NoSuchVersion"]) {
    it(`is gone if the store says so: ${code}`, async () => {
      proxy.damage(() => ({ status: 404, code }));
      const listed = await withTags(storeAt(proxy.endpoint), [object], signal);
      assert.deepEqual(listed, { objects: [], leftOut: [] });
    });
  }

  const keeps = (status: number) =>
    `the store answers ${status} when asked for its tags; it keeps those it had`;

  for (const [name, fault] of [
    ["nothing", { status: 404, content: "" }],
    ["text", { status: 404, content: "404 page not found" }],
    ["a page", { status: 404, content: "<html><body>Not found</body></html>" }],
    ["another error", { status: 404, code: "NoSuchTagSet" }],
    ["a method that it does not have", { status: 405, code: "MethodNotAllowed" }],
    ["no permission", { status: 403, code: "AccessDenied" }],
    ["a fault of its own", { status: 500, code: "InternalError" }],
  ] as const) {
    it(`stays in the listing, and keeps its tags, if the store answers with ${name}`, async () => {
      proxy.damage(() => fault);
      const { objects, leftOut } = await withTags(storeAt(proxy.endpoint), [object], signal);
      assert.deepEqual(objects, [object]);
      const reason = keeps(fault.status);
      assert.deepEqual(leftOut, [{ key: "a", reason, isUnreadable: false, isPart: true }]);
    });
  }

  it("does not keep others from getting theirs", async () => {
    const tagging = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>";
    proxy.damage((_number, path) =>
      path.startsWith("/content/a")
        ? { status: 403, code: "AccessDenied" }
        : { status: 200, content: tagging },
    );
    const listed = [object, { ...object, key: "b" }];
    const { objects } = await withTags(storeAt(proxy.endpoint), listed, signal);
    assert.deepEqual(objects, [object, { ...object, key: "b", tags: ["k=v"] }]);
  });

  it("is one of many: the others of a page are not asked for after 16 in a row", async () => {
    proxy.damage(() => ({ status: 403, code: "AccessDenied" }));
    const page = Array.from({ length: 100 }, (_, index) => ({ ...object, key: `${index}` }));
    const { objects, leftOut } = await withTags(storeAt(proxy.endpoint), page, signal);
    assert.deepEqual(objects, page);
    assert.equal(leftOut.length, 100);
    assert.match(leftOut.at(-1)?.reason ?? "", /^its tags were not asked for: the store/);
    assert.ok(proxy.requests < 16 + 8, `${proxy.requests} requests`);
  });

  it("is not reported if the store is too busy: the run fails and comes again", async () => {
    proxy.damage(() => ({ status: 503, code: "SlowDown" }));
    const listed = withTags(storeAt(proxy.endpoint), [object], signal);
    await assert.rejects(listed, /too many \(SlowDown\): try again later/);
  });

  it("is not asked for any more if its bucket is gone", async () => {
    proxy.damage(() => ({ status: 404, code: "NoSuchBucket" }));
    const listed = withTags(storeAt(proxy.endpoint), [object], signal);
    await assert.rejects(listed, /there is no bucket content/);
  });
});
