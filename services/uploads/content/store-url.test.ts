/** Addresses of objects in a real S3 store. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type CephServer, cephIsMissing, startCeph } from "@stowage/process/testing";
import { createBucket } from "../sources/testing/store-content.ts";
import { createUrlSigner } from "./store-url.ts";

const key = "2026/Grüße & more?.txt";
const content = "five!";
const etag = `"${createHash("md5").update(content).digest("hex")}"`;

describe("the address of an object in a store", { skip: cephIsMissing }, () => {
  const environment = { ...process.env };
  let store: CephServer;
  before(async () => {
    store = await startCeph();
    Object.assign(process.env, store.environment);
    await (await createBucket(store, "content")).put(key, content);
  });
  after(async () => {
    for (const name of Object.keys(store.environment)) delete process.env[name];
    Object.assign(process.env, environment);
    await store?.stop();
  });

  function addressOf(change: { key?: string; etag?: string }, method: "GET" | "HEAD" = "GET") {
    const { endpoint } = store;
    const location = {
      kind: "s3",
      bucket: "content",
      prefix: "",
      endpoint,
      pathStyle: true,
    } as const;
    const object = { location, key, etag, versionId: undefined, ...change };
    const answer = {
      method,
      contentType: "text/plain",
      contentDisposition: 'inline; filename="a"',
    };
    return createUrlSigner()(object, answer, AbortSignal.timeout(60_000));
  }

  for (const method of ["GET", "HEAD"] as const) {
    it(`answers ${method} with the type and disposition that were asked for`, async () => {
      const response = await fetch(await addressOf({}, method), { method });
      assert.equal(response.status, 200);
      assert.equal(await response.text(), method === "GET" ? content : "");
      assert.equal(response.headers.get("content-type"), "text/plain");
      assert.equal(response.headers.get("content-disposition"), 'inline; filename="a"');
      assert.equal(response.headers.get("content-length"), `${content.length}`);
    });
  }

  it("is not given for an object that was changed or removed", async () => {
    await assert.rejects(addressOf({ etag: '"of another content"' }), {
      reason: "CONTENT_CHANGED",
    });
    await assert.rejects(addressOf({ key: "removed" }), { reason: "CONTENT_CHANGED" });
  });
});
