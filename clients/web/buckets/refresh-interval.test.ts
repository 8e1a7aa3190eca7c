import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallError } from "../api/call-error.ts";
import { bucketOf } from "./bucket.ts";
import { refreshIntervalMs } from "./refresh-interval.ts";

const bucketWith = (state: string) =>
  bucketOf({ bucketId: "1", hostname: "a", sources: [{ sourceId: "2", name: "s", state }] });
const idle = [bucketWith("SOURCE_STATE_IDLE")];
const running = [...idle, bucketWith("SOURCE_STATE_RUNNING")];
const fast = { error: null, durationMs: 100 };

describe("the buckets are read again", () => {
  it("every 15 seconds, and sooner while a source runs", () => {
    assert.equal(refreshIntervalMs({ ...fast, buckets: idle }), 15_000);
    assert.equal(refreshIntervalMs({ ...fast, buckets: running }), 3000);
  });

  it("more slowly if the last call took long, but within two minutes", () => {
    assert.equal(refreshIntervalMs({ ...fast, buckets: running, durationMs: 2000 }), 20_000);
    assert.equal(refreshIntervalMs({ ...fast, buckets: idle, durationMs: 9000 }), 90_000);
    assert.equal(refreshIntervalMs({ ...fast, buckets: idle, durationMs: 45_000 }), 120_000);
  });

  it("soon after a temporary failure, and as usual after another", () => {
    const away = new CallError("unavailable", "");
    const tooLarge = new CallError("resource_exhausted", "");
    assert.equal(refreshIntervalMs({ ...fast, buckets: idle, error: away }), 5000);
    assert.equal(refreshIntervalMs({ ...fast, buckets: undefined, error: tooLarge }), 15_000);
  });
});
