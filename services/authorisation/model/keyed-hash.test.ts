import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { it } from "node:test";
import { generateClientSecret } from "./credentials.ts";
import { isKeyedHash, keyedHash, matchesKeyedHash } from "./keyed-hash.ts";

const key = randomBytes(32);

it("a generated secret matches its own hash under its own key, and no other does", () => {
  const secret = generateClientSecret();
  const hash = keyedHash(secret, key);
  assert.ok(isKeyedHash(hash) && !hash.includes(secret));
  assert.equal(matchesKeyedHash(secret, hash, key), true);
  assert.equal(matchesKeyedHash(generateClientSecret(), hash, key), false);
  assert.equal(matchesKeyedHash(secret, hash, randomBytes(32)), false);
  assert.equal(matchesKeyedHash(secret, hash.slice(0, -1), key), false);
});
