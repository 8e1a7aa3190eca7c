import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { decodeJwt } from "jose";
import { runToEnd } from "../testing/run-program.ts";
import { bearerGrant } from "../testing/service-accounts.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
let folder: string;
before(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), "stowage-service-accounts-"));
});
after(async () => {
  await rm(folder, { recursive: true });
  await service[Symbol.asyncDispose]();
});

function run(...commandLine: string[]) {
  const environment = { DATABASE_URL: service.databaseUrl, AUTH_URL: service.authUrl };
  return runToEnd("commands/service-accounts.ts", commandLine, environment);
}

async function tokenFor(assertion: string): Promise<number> {
  const body = new URLSearchParams({ grant_type: bearerGrant, assertion });
  return (await fetch(`${service.authUrl}/token`, { method: "POST", body })).status;
}

it("add prints an assertion that gets tokens, and stores neither it nor its key", async () => {
  const added = await run(
    "add",
    "--organisation",
    "acme",
    "--name",
    "backup",
    "--days",
    "2",
    "--json",
  );
  assert.deepEqual([added.code, added.stderr], [0, ""]);
  const account = JSON.parse(added.stdout) as Record<string, string>;
  const { assertion = "", serviceAccountId = "", expiresAt = "" } = account;
  assert.equal(await tokenFor(assertion), 200);
  const { iss, sub, aud, exp, iat } = decodeJwt(assertion);
  assert.deepEqual([iss, sub, aud], [account.subject, account.subject, service.authUrl]);
  assert.ok(Math.abs(Number(exp) - Number(iat) - 2 * 86_400) <= 2);
  assert.equal(Date.parse(expiresAt), Number(exp) * 1000);
  const { rows } = await service.pool.query<{ row: string }>(
    "select service_accounts::text as row from auth.service_accounts",
  );
  const stored = rows.map(({ row }) => row).join();
  for (const secret of [assertion, ...assertion.split(".").slice(1), "PRIVATE"]) {
    assert.ok(!stored.includes(secret));
  }

  const listed = await run("list");
  assert.match(listed.stdout, /^ID +ORGANISATION +APPLICATION +ADDED +STATE +GOOD UNTIL +SCOPES/);
  assert.match(listed.stdout, new RegExp(`^${serviceAccountId}  acme .* good .* backup$`, "m"));

  const revoked = await run("revoke", serviceAccountId);
  assert.equal(revoked.stdout, `revoked service account ${serviceAccountId} and its tokens\n`);
  assert.equal(await tokenFor(assertion), 400);
  const again = await run("revoke", serviceAccountId);
  assert.deepEqual([again.code, /revoked before/.test(again.stdout)], [0, true]);
  const [only] = JSON.parse((await run("list", "--json")).stdout) as Record<string, string>[];
  assert.equal(only?.state, "revoked");
  assert.ok(!JSON.stringify(only).includes("KEY"));
});

it("add prints text too, and uses all options", async () => {
  const { code, stdout } = await run(
    "add",
    "--organisation",
    "Ärzte & Söhne",
    "--application",
    "archive",
    "--scope",
    "upl:bucket:read",
    "--scope",
    "upl:bucket:write",
  );
  assert.equal(code, 0);
  assert.match(stdout, /^organisation {3}Ärzte & Söhne$/m);
  assert.match(stdout, /^scopes {9}upl:bucket:read upl:bucket:write$/m);
  const [, assertion = ""] = /^assertion +(\S+)$/m.exec(stdout) ?? [];
  assert.equal(await tokenFor(assertion), 200);
  const taken = await run("add", "--organisation", "acme", "--application", "archive");
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /"archive" belongs to organisation "Ärzte & Söhne"/);
});

it("add takes a public key, and then makes no assertion", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const file = join(folder, "key.pem");
  await writeFile(file, pemOf(publicKey));
  const added = await run("add", "--organisation", "acme", "--public-key-file", file, "--json");
  assert.equal(added.code, 0, added.stderr);
  assert.equal("assertion" in JSON.parse(added.stdout), false);

  const pems = [
    privateKey.export({ type: "pkcs8", format: "pem" }),
    pemOf(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey),
    pemOf(generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey),
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    "",
  ];
  for (const pem of pems) {
    await writeFile(file, pem);
    const refused = await run("add", "--organisation", "acme", "--public-key-file", file);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Cannot use the public key .*need a public key as PEM/s);
  }
  const missing = await run("add", "--organisation", "acme", "--public-key-file", folder);
  assert.match(missing.stderr, /Cannot read the public key from/);
});

function pemOf(publicKey: KeyObject): string {
  return publicKey.export({ type: "spki", format: "pem" }).toString();
}

it("wrong usage is exit code 2, and an unknown account 1", async () => {
  for (const line of [
    [],
    ["add"],
    ["add", "--organisation", "a", "--days", "0"],
    ["add", "--organisation", "a", "--days", "367"],
    ["add", "--organisation", "a", "--days", "2", "--public-key-file", "x"],
    ["revoke"],
    ["revoke", "x"],
    ["list", "x"],
  ]) {
    const { code, stdout, stderr } = await run(...line);
    assert.deepEqual([code, stdout], [2, ""], line.join(" "));
    assert.notEqual(stderr, "");
  }
  const unknown = await run("revoke", "0b8f6c1e-2d3a-4c5b-8e7f-9a0b1c2d3e4f");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /there is no such account/);
});
