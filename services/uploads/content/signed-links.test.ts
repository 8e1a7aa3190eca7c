import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLink, signedUrl } from "./signed-links.ts";

const upload = { bucketId: "0b5c1d9e-3a58-4a5e-9c0e-0000000000aa", uploadId: "a b" };
const key = Buffer.alloc(32, 1);

describe("a signed link", () => {
  const link = { ...upload, expiresAtSeconds: 1_700_000_000, isAttachment: true };
  const { searchParams } = new URL(signedUrl("https://files.example.com", link, key));
  const readAt = (nowMs: number) => readLink(upload, searchParams, key, nowMs);

  it("is read until the second in which it ends, and no longer", () => {
    assert.deepEqual(readAt(1_699_999_999_999), link);
    assert.throws(() => readAt(1_700_000_000_000), { reason: "LINK_EXPIRED" });
  });
});
