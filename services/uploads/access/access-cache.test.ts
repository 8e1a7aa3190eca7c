import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KnownAccess, weightMax } from "./access-cache.ts";
import type { BucketAccess, BucketName } from "./bucket-lookup.ts";

const question = (name: BucketName, clientId = "client") => ({
  organisationId: "acme",
  clientId,
  name,
});
const numbered = (index: number) => question({ hostname: `${index}.example.com` });

function access(version: string, hiddenCount = 0): BucketAccess {
  const hiddenFolders = Array(hiddenCount).fill("\u0001a");
  return { bucketId: "b", version, hiddenFolders, ownsIntegrations: false, hidesUploads: false };
}

describe("KnownAccess", () => {
  it("finds what was set, for the same organisation, client and name only", () => {
    const known = new KnownAccess();
    known.set(question("primary"), access("1"));
    assert.equal(known.find(question("primary"))?.version, "1");
    assert.equal(known.find(question("primary", "other")), undefined);
    assert.equal(known.find({ ...question("primary"), organisationId: "other" }), undefined);
    assert.equal(known.find(question({ hostname: "primary" })), undefined);
    assert.equal(known.find(question({ bucketId: "primary" })), undefined);
  });

  it("keeps the last answer, and forgets one that nothing takes the place of", () => {
    const known = new KnownAccess();
    known.set(question("primary"), access("1"));
    known.set(question("primary"), access("2"));
    assert.equal(known.find(question("primary"))?.version, "2");
    known.set(question("primary"), undefined);
    assert.equal(known.find(question("primary")), undefined);
  });

  it("is bounded, and keeps what is asked for", () => {
    const known = new KnownAccess();
    known.set(question("primary"), access("1"));
    for (let index = 0; index < 3 * weightMax; index++) {
      known.set(numbered(index), access("1"));
      if (index % 1000 === 0) known.find(question("primary"));
    }
    assert.equal(known.find(question("primary"))?.version, "1");
    const found = Array.from({ length: 3 * weightMax }, (_, index) => known.find(numbered(index)));
    assert.ok(found.filter((one) => one !== undefined).length <= weightMax);
    assert.equal(found[0], undefined);
  });

  it("counts hidden folders, and does not keep an answer with too many", () => {
    const known = new KnownAccess();
    for (let index = 0; index < 10; index++) known.set(numbered(index), access("1", weightMax / 4));
    const kept = Array.from({ length: 10 }, (_, index) => known.find(numbered(index)));
    assert.ok(kept.filter((one) => one !== undefined).length <= 4);
    known.set(question("primary"), access("1", weightMax));
    assert.equal(known.find(question("primary")), undefined);
  });

  it("forgets an answer that is set anew and has become too large", () => {
    const known = new KnownAccess();
    known.set(question("primary"), access("1"));
    known.set(question("primary"), access("2", weightMax));
    assert.equal(known.find(question("primary")), undefined);
  });
});
