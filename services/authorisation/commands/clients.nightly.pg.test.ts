import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { storeRecord } from "../store/provider-records.ts";
import { runToEnd } from "../testing/run-program.ts";
import { openTestPool } from "../testing/signing-keys.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const clientId = "0b8f6c1e-2d3a-4c5b-8e7f-9a0b1c2d3e4f";
let database: TestDatabase;
let folder: string;
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "stowage-clients-"));
});
after(async () => {
  await rm(folder, { recursive: true });
  await database.drop();
});

function clients(...commandLine: string[]) {
  return runToEnd("commands/clients.ts", commandLine, { DATABASE_URL: database.databaseUrl });
}

async function secretHashOf(id: string): Promise<string> {
  const client = new pg.Client(database.databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ hash: string }>(
    "select hash from auth.client_secrets where client_id = $1",
    [id],
  );
  await client.end();
  return rows[0]?.hash ?? "";
}

it("add prints an id and a secret, and only the secret's hash is stored", async () => {
  const { code, stdout, stderr } = await clients("add", "--organisation", "acme", "--json");
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  const { clientSecret, ...client } = JSON.parse(stdout) as Record<string, string>;
  assert.match(client.clientId ?? "", uuid);
  assert.match(client.applicationId ?? "", uuid);
  assert.equal(client.organisationId, "acme");
  assert.deepEqual(client.scopes, ["upl:bucket:read"]);
  const hash = await secretHashOf(client.clientId ?? "");
  assert.ok(!hash.includes(clientSecret ?? ""));
  assert.match(hash, /^\$hmac-sha256\$/);
});

it("add uses all options, and does not print a secret from a file", async () => {
  const file = join(folder, "secret");
  const secret = "a secret from elsewhere, 32 and more";
  await writeFile(file, `${secret}\n`);
  const { code, stdout, stderr } = await clients(
    "add",
    "--organisation",
    "Ärzte & Söhne",
    "--application",
    "reports",
    "--name",
    "nightly",
    "--scope",
    "upl:bucket:read",
    "--scope",
    "upl:bucket:write",
    "--client-id",
    clientId.toUpperCase(),
    "--client-secret-file",
    file,
  );
  assert.equal(code, 0, stderr);
  const expected = [
    `client id      ${clientId}`,
    "organisation   Ärzte & Söhne",
    "application    reports",
    "name           nightly",
    "scopes         upl:bucket:read upl:bucket:write",
  ];
  assert.equal(stdout, `${expected.join("\n")}\n`);
  assert.equal(await matchesSecret(secret, await secretHashOf(clientId)), true);
});

it("add refuses an id that is taken and an application of another organisation", async () => {
  const taken = await clients("add", "--organisation", "acme", "--client-id", clientId);
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /^stowage: Cannot add the client: 0b8f6c1e\S+ exists already/);
  const other = await clients("add", "--organisation", "acme", "--application", "reports");
  assert.equal(other.code, 1);
  assert.match(other.stderr, /"reports" belongs to organisation "Ärzte & Söhne"/);
});

it("list shows the clients as a table and as JSON, without secrets", async () => {
  const table = await clients("list");
  assert.match(
    table.stdout,
    /^CLIENT ID +ORGANISATION +APPLICATION +ADDED +STATE +GRANTS +SCOPES +NAME\n/,
  );
  assert.match(table.stdout, new RegExp(`^${clientId}  Ärzte & Söhne  reports `, "m"));
  const listed = JSON.parse((await clients("list", "--json")).stdout) as Record<string, unknown>[];
  assert.equal(listed.length, 2);
  const { createdAt, ...client } = listed[1] ?? {};
  assert.ok(Date.parse(String(createdAt)) <= Date.now());
  assert.deepEqual(client, {
    clientId,
    organisationId: "Ärzte & Söhne",
    applicationId: "reports",
    name: "nightly",
    scopes: ["upl:bucket:read", "upl:bucket:write"],
    grantTypes: ["client_credentials"],
    redirectUris: [],
    isPublic: false,
    isFirstParty: false,
    isForAnyOrganisation: false,
    disabledAt: null,
  });
});

const page = ["add", "--organisation", "acme", "--redirect-uri", "https://page.example/callback"];

it("add registers clients that act for people, public ones without a secret", async () => {
  const added = JSON.parse((await clients(...page, "--public", "--json")).stdout) as object;
  assert.ok(!("clientSecret" in added));
  const native = await clients(
    ...page.slice(0, 3),
    "--native",
    "--redirect-uri",
    "com.example.app:/callback",
    ...["--redirect-uri", "http://127.0.0.1/callback", "--json"],
  );
  assert.equal(native.code, 0, native.stderr);
  const server = await clients(
    ...page,
    "--grant",
    "authorization-code",
    "--grant",
    "client-credentials",
    ...["--post-logout-redirect-uri", "https://page.example/"],
    ...["--back-channel-logout-uri", "https://page.example/ended", "--json"],
  );
  const { clientSecret, clientId: _, applicationId: __, ...rest } = JSON.parse(server.stdout);
  assert.match(clientSecret, /^[\w-]{43}$/);
  assert.deepEqual(rest, {
    organisationId: "acme",
    name: "",
    scopes: ["upl:bucket:read"],
    grantTypes: ["authorization_code", "client_credentials"],
    redirectUris: ["https://page.example/callback"],
    postLogoutRedirectUris: ["https://page.example/"],
    backChannelLogoutUri: "https://page.example/ended",
    isNative: false,
    isFirstParty: false,
    isForAnyOrganisation: false,
    publicKeyPem: null,
  });
  const listed = JSON.parse((await clients("list", "--json")).stdout) as { isPublic: boolean }[];
  assert.equal(listed.filter(({ isPublic }) => isPublic).length, 2);
});

it("secrets add, list and remove change the secrets of a client", async () => {
  const added = JSON.parse((await clients("add", "--organisation", "acme", "--json")).stdout);
  const second = JSON.parse((await clients("secrets", "add", added.clientId, "--json")).stdout);
  assert.match(second.clientSecret, /^[\w-]{43}$/);
  const third = await clients("secrets", "add", added.clientId);
  assert.match(third.stderr, /has 2, which is the most; remove one first/);
  const list = async () => {
    const { stdout } = await clients("secrets", "list", added.clientId, "--json");
    return JSON.parse(stdout) as { secretId: string }[];
  };
  const [first] = await list();
  const removed = await clients("secrets", "remove", added.clientId, first?.secretId ?? "");
  assert.deepEqual([removed.code, removed.stdout], [0, `removed secret ${first?.secretId}\n`]);
  assert.deepEqual(
    (await list()).map(({ secretId }) => secretId),
    [second.secretId],
  );
  const last = await clients("secrets", "remove", added.clientId, second.secretId);
  assert.match(last.stderr, /it is the only one of client/);
  const unknown = await clients("secrets", "add", clientId.replace("0", "1"));
  assert.match(unknown.stderr, /there is no such client/);
});

it("update replaces what is given, and refuses what does not fit together", async () => {
  const added = JSON.parse((await clients(...page, "--public", "--json")).stdout);
  const update = (...line: string[]) => clients("update", added.clientId, ...line);
  const uris = ["https://page.example/a", "http://localhost/b"];
  const changed = await update(
    "--scope",
    "upl:bucket:write",
    "--redirect-uri",
    uris[0] ?? "",
    "--redirect-uri",
    uris[1] ?? "",
    "--name",
    "The page",
    "--first-party",
    "--any-organisation",
    "--json",
  );
  assert.equal(changed.code, 0, changed.stderr);
  assert.deepEqual(JSON.parse(changed.stdout), {
    ...added,
    scopes: ["upl:bucket:write"],
    redirectUris: uris,
    name: "The page",
    isFirstParty: true,
    isForAnyOrganisation: true,
  });
  const back = await update("--no-first-party", "--no-any-organisation");
  assert.deepEqual([back.code, back.stdout], [0, `updated client ${added.clientId}\n`]);
  assert.equal((await update()).code, 2);
  const own = await update("--redirect-uri", "com.example.app:/a");
  assert.deepEqual([own.code, /goes with --native only/.test(own.stderr)], [2, true]);
  const pool = openTestPool(database.databaseUrl);
  const { rows } = await pool.query(
    `select details->>'outcome' as outcome from auth.audit_events
     where kind = 'operator_command' order by occurred_at desc limit 1`,
  );
  await pool.end();
  assert.deepEqual(rows, [{ outcome: "failed" }]);
  const unknown = await clients("update", clientId.replace("0", "1"), "--name", "x");
  assert.match(unknown.stderr, /there is no such client/);
});

it("disable and enable change the state that list shows", async () => {
  const states = async () =>
    (JSON.parse((await clients("list", "--json")).stdout) as Record<string, unknown>[])
      .filter((client) => client.clientId === clientId)
      .map(({ disabledAt }) => disabledAt !== null);
  const disabled = await clients("disable", clientId);
  assert.deepEqual([disabled.code, disabled.stdout], [0, `disabled client ${clientId}\n`]);
  assert.deepEqual(await states(), [true]);
  const enabled = await clients("enable", clientId);
  assert.deepEqual([enabled.code, enabled.stdout], [0, `enabled client ${clientId}\n`]);
  assert.deepEqual(await states(), [false]);
  const unknown = await clients("disable", clientId.replace("0", "1"));
  assert.match(unknown.stderr, /there is no such client/);
});

it("remove removes a client, once, with its refresh tokens", async () => {
  const pool = openTestPool(database.databaseUrl);
  await storeRecord(pool, {
    model: "RefreshToken",
    id: "a token",
    payload: "{}",
    expiresInSeconds: 60,
    clientId,
  });
  const removed = await clients("remove", clientId);
  assert.deepEqual([removed.code, removed.stdout], [0, `removed client ${clientId}\n`]);
  assert.equal((await pool.query("select from auth.provider_records")).rowCount, 0);
  await pool.end();
  const again = await clients("remove", clientId);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /there is no such client/);
});

const wrongUsages = [
  { what: "no command", line: [] },
  { what: "an unknown command", line: ["rename"] },
  { what: "no organisation", line: ["add"] },
  { what: "an empty organisation", line: ["add", "--organisation", ""] },
  { what: "an organisation on two lines", line: ["add", "--organisation", "a\nb"] },
  { what: "two scopes in one", line: ["add", "--organisation", "a", "--scope", "b c"] },
  { what: "a client id that is no UUID", line: ["add", "--organisation", "a", "--client-id", "b"] },
  { what: "scopes without end", line: ["add", "--organisation", "a", "--scope", "b".repeat(2049)] },
  { what: "an id to remove that is no UUID", line: ["remove", "x"] },
  ...[
    "http://page.example/",
    "https://page.example/#a",
    "https://user@page.example/",
    "javascript:alert(1)",
    "app:/callback",
    "/callback",
    `https://page.example/${"a".repeat(2048)}`,
  ].map((uri) => ({
    what: `the redirect URI ${uri}`,
    line: ["add", "--organisation", "a", "--native", "--redirect-uri", uri],
  })),
  { what: "a page that acts for itself", line: ["add", "--organisation", "a", "--public"] },
  { what: "a page with a grant of servers", line: [...page, "--grant", "client-credentials"] },
  {
    what: "a page with a scheme of its own",
    line: ["add", "--organisation", "a", "--public", "--redirect-uri", "com.example.app:/a"],
  },
  { what: "an unknown grant", line: [...page, "--grant", "implicit"] },
  { what: "more than is needed", line: ["list", "x"] },
];
it("wrong usage is exit code 2, with a message", async () => {
  for (const { what, line } of wrongUsages) {
    const { code, stdout, stderr } = await clients(...line);
    assert.deepEqual([code, stdout], [2, ""], what);
    assert.notEqual(stderr, "", what);
  }
});

it("a secret that cannot be read or is too weak is refused, and not shown", async () => {
  const file = join(folder, "weak");
  await writeFile(file, "hunter2");
  for (const path of [file, join(folder, "missing"), folder, ""]) {
    const ended = await clients("add", "--organisation", "a", "--client-secret-file", path);
    assert.equal(ended.code, 1, path);
    assert.match(ended.stderr, /^stowage: Cannot (read|use) the client secret/);
    assert.ok(!ended.stderr.includes("hunter2"));
  }
});

it("each command has help", async () => {
  for (const command of ["add", "list", "update", "secrets", "disable", "enable", "remove"]) {
    const { code, stdout } = await clients(command, "--help");
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^Usage: stowage clients ${command} `));
  }
});

it("add with a public key makes a client without a secret, and refuses a private key", async () => {
  const pair = generateKeyPairSync("ed25519");
  const files = { public: join(folder, "public.pem"), private: join(folder, "key.pem") };
  await writeFile(files.public, pair.publicKey.export({ type: "spki", format: "pem" }));
  await writeFile(files.private, pair.privateKey.export({ type: "pkcs8", format: "pem" }));
  const add = ["add", "--organisation", "acme", "--json", "--public-key-file"];
  const added = JSON.parse((await clients(...add, files.public)).stdout);
  assert.match(added.publicKeyPem, /^-----BEGIN PUBLIC KEY-----/);
  assert.equal(added.clientSecret, undefined);
  assert.match((await clients(...add, files.private)).stderr, /need a public key as PEM/);
  const page = ["--public", "--grant", "device-code"];
  assert.match((await clients(...add, files.public, ...page)).stderr, /does not go with/);
});
