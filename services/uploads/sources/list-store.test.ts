import assert from "node:assert/strict";
import { it } from "node:test";
import { listStore } from "./list-store.ts";

it("an Inventory report cannot be listed with tags, which it does not have", async () => {
  const location = { bucket: "content", prefix: "", tags: true };
  const manifest = { bucket: "reports", key: "manifest.json" };
  await assert.rejects(listStore({ location, manifest }, AbortSignal.abort()), {
    name: "StoreError",
    message: /^--tags needs the tags .* \(--inventory\) have none: leave one of the two out$/,
  });
});
