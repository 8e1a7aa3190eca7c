import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { storeProviderAccount } from "../store/provider-accounts.ts";
import { storeRecord } from "../store/provider-records.ts";
import { runToEnd } from "../testing/run-program.ts";
import { openTestPool } from "../testing/signing-keys.ts";

const password = "correct horse battery";
let database: TestDatabase;
let pool: pg.Pool;
let folder: string;
before(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.databaseUrl);
  folder = await mkdtemp(join(tmpdir(), "stowage-accounts-"));
  await writeFile(join(folder, "password"), `${password}\n`);
});
after(async () => {
  await rm(folder, { recursive: true });
  await pool.end();
  await database.drop();
});

function accounts(...commandLine: string[]) {
  return runToEnd("commands/accounts.ts", commandLine, { DATABASE_URL: database.databaseUrl });
}

async function hashOf(loginName: string): Promise<string> {
  const { rows } = await pool.query<{ hash: string }>(
    "select password_hash as hash from auth.accounts where login_name = $1",
    [loginName],
  );
  return rows[0]?.hash ?? "";
}

const ada = ["--organisation", "acme", "--login-name", "Ada@Example.com"];

it("add stores a hash of the password in the file, and takes each login name once", async () => {
  const file = join(folder, "password");
  const added = await accounts("add", ...ada, "--name", "Ada", "--password-file", file, "--json");
  assert.equal(added.code, 0, added.stderr);
  const { accountId, ...account } = JSON.parse(added.stdout) as Record<string, string>;
  assert.deepEqual(account, {
    organisationId: "acme",
    loginName: "ada@example.com",
    name: "Ada",
    email: null,
    subject: `urn:svc:user:${accountId}`,
  });
  const hash = await hashOf("ada@example.com");
  assert.match(hash, /^\$scrypt\$ln=15,r=8,p=3\$/);
  assert.equal(await matchesSecret(password, hash), true);

  const again = await accounts("add", ...ada, "--password-file", file);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /"ada@example.com" exists already/);
  const { stdout } = await accounts("list", "--organisation", "acme");
  assert.match(stdout, /^LOGIN NAME +ORGANISATION +ADDED +STATE +SUBJECT .*\nada@example.com /);
});

it("update changes the name and the e-mail address, and nothing else", async () => {
  const shown = async () => {
    const { stdout } = await accounts("list", "--json");
    const [{ name, email, accountId } = {}] = JSON.parse(stdout) as Record<string, unknown>[];
    assert.ok(accountId);
    return { name, email };
  };
  const update = (...options: string[]) => accounts("update", "ADA@example.com", ...options);
  const { code, stderr } = await update("--email", "ada@example.org");
  assert.equal(code, 0, stderr);
  assert.deepEqual(await shown(), { name: "Ada", email: "ada@example.org" });
  assert.equal((await update("--name", "Ada Lovelace", "--email", "")).code, 0);
  assert.deepEqual(await shown(), { name: "Ada Lovelace", email: null });
  assert.match(await hashOf("ada@example.com"), /^\$scrypt\$/);

  assert.match((await update()).stderr, /need --name or --email/);
  assert.match((await update("--email", "ada")).stderr, /Need an address such as/);
  assert.equal((await accounts("update", "nobody", "--name", "x")).code, 1);
});

it("a password that is too short, or cannot be read, is refused and not shown", async () => {
  await writeFile(join(folder, "short"), "hunter2hunt");
  const files = [join(folder, "short"), join(folder, "missing"), "-"];
  for (const file of files) {
    const bob = ["add", "--organisation", "acme", "--login-name", "bob", "--password-file", file];
    const { code, stdout, stderr } = await accounts(...bob);
    assert.deepEqual([code, stdout], [1, ""], file);
    assert.match(stderr, /^stowage: Cannot (use|read) the password/);
    assert.ok(!stderr.includes("ENOENT"), stderr);
    assert.ok(!stderr.includes("hunter2"));
  }
  const file = join(folder, "two-lines");
  await writeFile(file, `${password}\n${password}\n`);
  const { stderr } = await accounts("set-password", "ada@example.com", "--password-file", file);
  assert.equal(stderr, "stowage: Cannot use the password: it has more than one line\n");
});

it("set-password refuses accounts without a password before it reads one", async () => {
  const person = { issuer: "https://login.example.com", subject: "1", name: "Bob", email: null };
  await storeProviderAccount(pool, {
    ...person,
    accountId: randomUUID(),
    organisationId: "acme",
    loginName: "bob",
    authorizationDetails: [],
  });
  for (const name of ["bob", "nobody"]) {
    const { code, stderr } = await accounts("set-password", name, "--password-file", "/nope");
    const why = "no account of that name has a password";
    assert.deepEqual([code, stderr], [1, `stowage: Cannot set the password of ${name}: ${why}\n`]);
  }
  await accounts("remove", "bob");
});

it("a new password, sign-out and removal end the sessions and revoke the tokens", async () => {
  const { accountId } = JSON.parse((await accounts("list", "--json")).stdout)[0] as {
    accountId: string;
  };
  const subject = `urn:svc:user:${accountId}`;
  await writeFile(join(folder, "new"), "another one altogether");
  const changes = [
    ["set-password", "ADA@example.com", "--password-file", join(folder, "new")],
    ["sign-out", "ada@example.com"],
    ["remove", "ada@example.com"],
  ];
  for (const change of changes) {
    await pool.query("truncate denylist.entries").catch(() => undefined);
    for (const model of ["Session", "Grant", "RefreshToken"]) await store(model, subject);
    await store("Session", "urn:svc:user:another");
    const { code, stderr } = await accounts(...change);
    assert.equal(code, 0, stderr);
    const left = await pool.query(
      "select account_id as of from auth.provider_records where account_id is not null",
    );
    assert.deepEqual(left.rows, [{ of: "urn:svc:user:another" }]);
    const { rows } = await pool.query(
      `select kind, value, issued_before >= extract(epoch from now()) - 60 as is_now
       from denylist.entries`,
    );
    assert.deepEqual(rows, [{ kind: "sub", value: subject, is_now: true }]);
    if (change[0] === "set-password") {
      assert.equal(await matchesSecret(password, await hashOf("ada@example.com")), false);
    }
    assert.notEqual((await accounts(change[0] ?? "", "nobody")).code, 0);
  }
  assert.equal(await hashOf("ada@example.com"), "");
});

async function store(model: string, accountId: string) {
  await storeRecord(pool, {
    model,
    id: `${model} of ${accountId}`,
    payload: "{}",
    expiresInSeconds: 60,
    accountId,
  });
}

it("a list of none says how to add one, or is an empty JSON array", async () => {
  const none = await accounts("list", "--organisation", "nobody");
  const said = "no accounts; add one with: stowage accounts add\n";
  assert.deepEqual(none, { code: 0, stdout: "", stderr: said });
  const json = await accounts("list", "--organisation", "nobody", "--json");
  assert.deepEqual(json, { code: 0, stdout: "[]\n", stderr: "" });
});

it("wrong usage is exit code 2", async () => {
  const wrong = [["add"], ["add", "--organisation", "a", "--login-name", "a b"], ["remove"]];
  for (const line of wrong) assert.equal((await accounts(...line)).code, 2, line.join(" "));
});
