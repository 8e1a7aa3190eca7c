import assert from "node:assert/strict";
import { it } from "node:test";
import type { ListedObject } from "../listed-object.ts";
import { withTags } from "./read-tags.ts";
import { openStore } from "./store.ts";

const nowhere = { bucket: "content", endpoint: "http://127.0.0.1:1", pathStyle: true };

it("an object whose key no request can name stays in the listing, without its tags", async () => {
  const key = Buffer.from("bad\xff", "latin1");
  const times = { createdAtMicros: undefined, updatedAtMicros: 1n };
  const object: ListedObject = { key, sizeBytes: 1, ...times };
  const { signal } = new AbortController();
  const { objects, leftOut } = await withTags(openStore(nowhere), [object], signal);
  assert.deepEqual(objects, [object]);
  const reason = "its key is not UTF-8, so its tags cannot be read; the object is there";
  assert.deepEqual(leftOut, [{ key, reason, isUnread: false }]);
});
