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

it("an object whose key no request can name stays in the listing, without its tags", async () => {
  const key = Buffer.from("bad\xff", "latin1");
  const times = { createdAtMicros: undefined, updatedAtMicros: 1n };
  const object: ListedObject = { key, sizeBytes: 1, ...times };
  const { objects, leftOut } = await withTags(storeAt(nowhere), [object], signal);
  assert.deepEqual(objects, [object]);
  const reason = "its key is not UTF-8, so its tags cannot be read; the object is there";
  assert.deepEqual(leftOut, [{ key, reason, isUnreadable: false, isPart: true }]);
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

  for (const [name, fault] of [
    ["nothing", { status: 404, content: "" }],
    ["text", { status: 404, content: "404 page not found" }],
    ["a page", { status: 404, content: "<html><body>Not found</body></html>" }],
    ["another error", { status: 404, code: "NoSuchTagSet" }],
  ] as const) {
    it(`stays in the listing if the store answers 404 with ${name}`, async () => {
      proxy.damage(() => fault);
      const { objects, leftOut } = await withTags(storeAt(proxy.endpoint), [object], signal);
      assert.deepEqual(objects, [object]);
      const reason = "the store answers 404 when asked for its tags; the object is there";
      assert.deepEqual(leftOut, [{ key: "a", reason, isUnreadable: false, isPart: true }]);
    });
  }

  it("is not asked for any more if its bucket is gone", async () => {
    proxy.damage(() => ({ status: 404, code: "NoSuchBucket" }));
    const listed = withTags(storeAt(proxy.endpoint), [object], signal);
    await assert.rejects(listed, /there is no bucket content/);
  });
});
