import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AccessCache, weightMax } from "./access-cache.ts";
import type { BucketAccess, BucketName } from "./bucket-lookup.ts";
import { visibilityOf } from "./visibility.ts";

const lookup = (name: BucketName, clientId = "client") => ({
  organisationId: "acme",
  clientId,
  name,
});
const numbered = (index: number) => lookup({ hostname: `${index}.example.com` });

const unrestricted = visibilityOf(["/"], [], undefined);

function access(version: string, hiddenCount = 0): BucketAccess {
  const hiddenFolders = Array(hiddenCount).fill("\u0001a");
  return { bucketId: "b", bucketNumber: 1, version, hiddenFolders, unrestricted };
}

describe("AccessCache", () => {
  it("finds what was set, for the same organisation, client and name only", () => {
    const cache = new AccessCache();
    cache.set(lookup("primary"), access("1"));
    assert.equal(cache.find(lookup("primary"))?.version, "1");
    assert.equal(cache.find(lookup("primary", "other")), undefined);
    assert.equal(cache.find({ ...lookup("primary"), organisationId: "other" }), undefined);
    assert.equal(cache.find(lookup({ hostname: "primary" })), undefined);
    assert.equal(cache.find(lookup({ bucketId: "primary" })), undefined);
  });

  it("keeps the last answer, and forgets one that nothing takes the place of", () => {
    const cache = new AccessCache();
    cache.set(lookup("primary"), access("1"));
    cache.set(lookup("primary"), access("2"));
    assert.equal(cache.find(lookup("primary"))?.version, "2");
    cache.set(lookup("primary"), undefined);
    assert.equal(cache.find(lookup("primary")), undefined);
  });

  it("forgets also an answer that is about to be dropped", () => {
    const cache = new AccessCache();
    cache.set(lookup("primary"), access("1"));
    for (let index = 0; index < weightMax / 2; index++) cache.set(numbered(index), access("1"));
    cache.set(lookup("primary"), undefined);
    assert.equal(cache.find(lookup("primary")), undefined);
  });

  it("is bounded, and keeps what is asked for", () => {
    const cache = new AccessCache();
    cache.set(lookup("primary"), access("1"));
    for (let index = 0; index < 3 * weightMax; index++) {
      cache.set(numbered(index), access("1"));
      if (index % 1000 === 0) cache.find(lookup("primary"));
    }
    assert.equal(cache.find(lookup("primary"))?.version, "1");
    const found = Array.from({ length: 3 * weightMax }, (_, index) => cache.find(numbered(index)));
    assert.ok(found.filter((one) => one !== undefined).length <= weightMax);
    assert.equal(found[0], undefined);
  });

  it("counts hidden folders, and does not keep an answer with too many", () => {
    const cache = new AccessCache();
    for (let index = 0; index < 10; index++) cache.set(numbered(index), access("1", weightMax / 8));
    const kept = Array.from({ length: 10 }, (_, index) => cache.find(numbered(index)));
    assert.ok(kept.filter((one) => one !== undefined).length <= 4);
    cache.set(lookup("primary"), access("1", weightMax));
    assert.equal(cache.find(lookup("primary")), undefined);
  });

  it("forgets an answer that is set anew and has become too large", () => {
    const cache = new AccessCache();
    cache.set(lookup("primary"), access("1"));
    cache.set(lookup("primary"), access("2", weightMax));
    assert.equal(cache.find(lookup("primary")), undefined);
  });
});
