import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { type Ended, runToEnd } from "../testing/run-program.ts";
import { openTestPool, passTime } from "../testing/signing-keys.ts";

const keyEncryptionKey = randomBytes(32).toString("base64");
let database: TestDatabase;
let pool: pg.Pool;
before(async () => {
  // Without the schema: the command must make it.
  database = await createTestDatabase();
  pool = openTestPool(database.databaseUrl);
});
after(async () => {
  await pool.end();
  await database.drop();
});

function keysWith(settings: Record<string, string>, ...commandLine: string[]): Promise<Ended> {
  const environment = { DATABASE_URL: database.databaseUrl, ...settings };
  return runToEnd("commands/keys.ts", commandLine, environment);
}

function keys(...commandLine: string[]): Promise<Ended> {
  return keysWith({ KEY_ENCRYPTION_KEY: keyEncryptionKey }, ...commandLine);
}

async function list(): Promise<Record<string, string>[]> {
  // It needs no key to decrypt with.
  const { code, stdout, stderr } = await keysWith({}, "list", "--json");
  assert.deepEqual([code, stderr], [0, ""]);
  return JSON.parse(stdout) as Record<string, string>[];
}

async function states(): Promise<(string | undefined)[]> {
  return (await list()).map(({ state }) => state);
}

describe("keys", () => {
  it("rotate makes the first key, which signs at once", async () => {
    assert.deepEqual(await list(), []);
    const { code, stdout, stderr } = await keys("rotate");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^published key [\w-]{43}; it signs from \d{4}-\d\d-\d\dT[\d:]{8}Z\n$/);
    assert.deepEqual(await states(), ["signing"]);
  });

  it("rotate publishes another key, which signs after its publication time", async () => {
    const settings = { KEY_ENCRYPTION_KEY: keyEncryptionKey, KEY_PUBLICATION_S: "600" };
    const { code, stdout } = await keysWith(settings, "rotate");
    assert.equal(code, 0);
    const [old, next] = await list();
    assert.equal(Date.parse(next?.signsFrom ?? "") - Date.parse(next?.createdAt ?? ""), 600_000);
    assert.equal(old?.retiredAt, next?.signsFrom);
    assert.equal(
      stdout,
      `published key ${next?.keyId}; it signs from ${next?.signsFrom}\n` +
        `key ${old?.keyId} signs until then, and stays published until ${old?.removedAt}\n`,
    );
  });

  it("rotate refuses during a rotation, and says until when", async () => {
    const { code, stdout, stderr } = await keys("rotate");
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(
      stderr,
      /^stowage: Cannot rotate: key \S+ is published already and signs from 20\S+, /,
    );
  });

  it("list shows each key, what it does and until when", async () => {
    const { code, stdout } = await keys("list");
    assert.equal(code, 0);
    const [head = "", old = "", next = ""] = stdout.split("\n");
    assert.match(head, /^KEY ID +STATE +SIGNS FROM +SIGNS UNTIL +PUBLISHED UNTIL +ENCRYPTED WITH$/);
    assert.match(old, /^[\w-]{43} {2}signing +20\S+Z +20\S+Z +20\S+Z +[0-9a-f]{16}$/);
    assert.match(next, /^[\w-]{43} {2}published +20\S+Z +- +- +[0-9a-f]{16}$/);
  });

  it("list shows the states of the keys, and no key itself", async () => {
    await passTime(pool, 600);
    assert.deepEqual(await states(), ["retired", "signing"]);
    await passTime(pool, 3901);
    assert.deepEqual(await states(), ["removed", "signing"]);
    const { stdout } = await keysWith({}, "list", "--json");
    const members = Object.keys(JSON.parse(stdout)[0]).sort().join(" ");
    assert.equal(members, "createdAt encryptionKeyId keyId removedAt retiredAt signsFrom state");
  });

  it("withdraw withdraws the current key and names its successor", async () => {
    const [, signing] = await list();
    const { code, stdout, stderr } = await keys("withdraw", signing?.keyId ?? "");
    assert.deepEqual([code, stderr], [0, ""]);
    const [, , next] = await list();
    assert.equal(
      stdout,
      `withdrew key ${signing?.keyId}; the tokens that it signed are revoked for ever\n` +
        `key ${next?.keyId} signs from now on\n`,
    );
    assert.deepEqual(await states(), ["removed", "withdrawn", "signing"]);
    const again = await keys("withdraw", signing?.keyId ?? "");
    assert.deepEqual(
      [again.code, again.stdout],
      [0, `key ${signing?.keyId} was withdrawn before\n`],
    );
  });

  it("withdraw of a retired key names no successor", async () => {
    const [removed] = await list();
    const { stdout } = await keys("withdraw", removed?.keyId ?? "");
    assert.match(stdout, /^withdrew key \S+; the tokens that it signed are revoked for ever\n$/);
  });

  it("withdraw of an unknown key fails", async () => {
    const { code, stderr } = await keys("withdraw", "x".repeat(43));
    assert.equal(code, 1);
    assert.equal(stderr, `stowage: Cannot withdraw key ${"x".repeat(43)}: there is no such key\n`);
  });

  it("another encryption key is refused, and not shown", async () => {
    const other = randomBytes(32).toString("base64");
    const { code, stderr } = await keysWith({ KEY_ENCRYPTION_KEY: other }, "rotate");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^stowage: Cannot decrypt signing key \S+: KEY_ENCRYPTION_KEY is [0-9a-f]{16}/,
    );
    assert.ok(!stderr.includes(other));
  });

  it("a missing encryption key is refused with advice, a wrong one is not shown", async () => {
    const none = await keysWith({ DATA_DIR: "/nowhere" }, "rotate");
    assert.deepEqual([none.code, none.stdout], [2, ""]);
    assert.match(none.stderr, /KEY_ENCRYPTION_KEY: got nothing, need .* openssl rand -base64 32 /);
    const bad = await keysWith({ KEY_ENCRYPTION_KEY: "hunter2" }, "rotate");
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /KEY_ENCRYPTION_KEY: got a value that is kept secret, need 32 bytes/);
    assert.ok(!bad.stderr.includes("hunter2"));
  });

  it("wrong usage is exit code 2, and each command has help", async () => {
    const misuses = ["", "x", "rotate x", "withdraw", "withdraw x", "list x"];
    const ended = misuses.map((line) => keys(...line.split(" ").filter((word) => word !== "")));
    for (const { code, stdout, stderr } of await Promise.all(ended)) {
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.notEqual(stderr, "");
    }
    for (const command of ["list", "rotate", "withdraw"]) {
      const { code, stdout } = await keys(command, "--help");
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: stowage keys ${command} `));
    }
  });
});
