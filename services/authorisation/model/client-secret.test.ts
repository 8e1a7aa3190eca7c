import assert from "node:assert/strict";
import { it } from "node:test";
import { generateClientSecret, hashClientSecret } from "./credentials.ts";
import { matchesSecret } from "./scrypt-hash.ts";

it("a secret matches its own hash, and no other does", async () => {
  const secret = generateClientSecret();
  const hash = await hashClientSecret(secret);
  assert.equal(await matchesSecret(secret, hash), true);
  const others = ["", `${secret} `, secret.slice(1), secret.toUpperCase(), hash];
  for (const other of others) assert.equal(await matchesSecret(other, hash), false, other);
});

it("a hash is a PHC string with a random salt, and does not contain the secret", async () => {
  const secret = "correct horse battery staple correct";
  const hashes = [await hashClientSecret(secret), await hashClientSecret(secret)];
  assert.notEqual(hashes[0], hashes[1]);
  for (const hash of hashes) {
    assert.match(hash, /^\$scrypt\$ln=14,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.ok(!hash.includes(secret));
  }
});

it("a hash made at another cost still matches", async () => {
  // The second test vector of RFC 7914 section 12.
  const salt = Buffer.from("NaCl").toString("base64").replaceAll("=", "");
  const hash =
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162" +
    "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640";
  const text = Buffer.from(hash, "hex").toString("base64").replaceAll("=", "");
  const phc = `$scrypt$ln=10,r=8,p=16$${salt}$${text}`;
  assert.equal(await matchesSecret("password", phc), true);
  assert.equal(await matchesSecret("Password", phc), false);
});

it("an invalid hash is an error, not a mismatch", async () => {
  for (const text of ["", "secret", "$scrypt$ln=14,r=8,p=1$$", "$argon2id$v=19$m=1$a$b"]) {
    await assert.rejects(matchesSecret("secret", text), /Cannot read the hash/);
  }
});

it("generated secrets have 256 bits and need no encoding", () => {
  const secrets = Array.from({ length: 100 }, generateClientSecret);
  assert.equal(new Set(secrets).size, 100);
  for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/);
});
