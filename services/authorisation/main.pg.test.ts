import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, it } from "node:test";
import {
  createTestDatabase,
  type StartedProcess,
  type TestDatabase,
  until,
  withClient,
} from "@stowage/process/testing";
import { startDocumentedProvider } from "./testing/documented-provider.ts";
import { ready, runToEnd, startProgram } from "./testing/run-program.ts";
import { startTestService, testKeyEncryptionKey } from "./testing/test-service.ts";
import { basic, postForm } from "./testing/token-request.ts";

let database: TestDatabase;
before(async () => {
  // Without the schema: the program must make it.
  database = await createTestDatabase();
});
after(() => database.drop());

function start(settings: Record<string, string> = {}): StartedProcess {
  const environment = {
    DATABASE_URL: database.databaseUrl,
    KEY_ENCRYPTION_KEY: testKeyEncryptionKey,
    PORT: "0",
    LOG_LEVEL: "debug",
  };
  return startProgram("main.ts", [], { ...environment, ...settings });
}

it("two first starts agree on a key, print their address, and end with 0 on SIGTERM", async () => {
  const programs = [start(), start()];
  const authUrls = await Promise.all(programs.map(ready));
  const keySets = await Promise.all(
    authUrls.map(async (url) => (await fetch(`${url}/.well-known/jwks.json`)).text()),
  );
  assert.equal(keySets[0], keySets[1]);

  programs[0]?.kill("SIGTERM");
  programs[1]?.kill("SIGINT");
  for (const { ended } of programs) {
    const { exitCode, stdout, stderr } = await ended;
    assert.equal(exitCode, 0);
    assert.equal(stdout.split("\n").length, 2, "one line on stdout");
    assert.equal(stderr.match(/"stopping"/g)?.length, 1, "once, however many processes stop");
  }
});

it("ends at once while it waits for another program that upgrades the schema", async () => {
  await withClient(database.databaseUrl, async (other) => {
    await other.query("select pg_advisory_lock(hashtextextended('stowage schema auth', 0))");
    const program = start({ DRAIN_MS: "600000" });
    await until("it waits", () => program.stderr().includes("waiting for another program"));
    program.kill("SIGTERM");
    const { exitCode, stdout } = await program.ended;
    assert.deepEqual([exitCode, stdout], [0, ""]);
  });
});

it("logs JSON lines only, and no secret, token or key", async () => {
  const added = await runToEnd("commands/clients.ts", ["add", "--organisation", "acme", "--json"], {
    DATABASE_URL: database.databaseUrl,
  });
  assert.equal(added.code, 0, added.stderr);
  const { clientId, clientSecret } = JSON.parse(added.stdout) as Record<string, string>;
  assert.ok(clientId && clientSecret);

  const program = start();
  const authUrl = await ready(program);
  const grant = { grant_type: "client_credentials" };
  const good = basic(clientId, clientSecret);
  const issued = await postForm(authUrl, grant, { authorization: good });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  await postForm(authUrl, { ...grant, scope: "other" }, { authorization: good });
  await postForm(authUrl, grant, { authorization: basic(clientId, "guess-1a2b3c") });
  await postForm(authUrl, { ...grant, client_id: clientId, client_secret: "guess-4d5e6f" });
  await postForm(authUrl, grant, { authorization: `Bearer ${clientSecret}` });
  await postForm(authUrl, grant, { authorization: `Basic ${clientSecret}` });
  program.kill("SIGTERM");

  const { stderr } = await program.ended;
  const lines = stderr.trimEnd().split("\n");
  for (const line of lines) assert.equal(typeof JSON.parse(line), "object", line);
  assert.ok(lines.some((line) => line.includes("refused a token request")));
  const [, , signature = ""] = token.split(".");
  const secrets = [testKeyEncryptionKey, clientSecret];
  for (const secret of [...secrets, good.slice(6), signature, "guess-", "PRIVATE", "scrypt"]) {
    assert.ok(!stderr.includes(secret), `logged ${secret}`);
  }
});

it("logs the cause of an internal error, and its route", async () => {
  await using service = await startTestService();
  await service.pool.query("alter table auth.authorisations drop column authorisation_id");
  const program = start({ DATABASE_URL: service.databaseUrl });
  const authUrl = await ready(program);
  const response = await postForm(authUrl, { grant_type: "client_credentials" });
  assert.equal(response.status, 500);
  program.kill("SIGTERM");
  const lines = (await program.ended).stderr.trimEnd().split("\n");
  const [fault] = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
  assert.equal(fault.route, "token");
  assert.match(fault.err.message, /column "authorisation_id" of relation "authorisations"/);
});

it("replaces its worker when that dies, under the same issuer", async () => {
  const program = start();
  const authUrl = await ready(program);
  const file = `/proc/${program.processId}/task/${program.processId}/children`;
  process.kill(Number(await readFile(file, "utf8")), "SIGKILL");
  let metadata: { issuer: string } | undefined;
  while (metadata === undefined) {
    metadata = await fetch(`${authUrl}/.well-known/openid-configuration`)
      .then((response) => response.json() as Promise<{ issuer: string }>)
      .catch(() => undefined);
  }
  assert.equal(metadata.issuer, authUrl);
  program.kill("SIGTERM");
  const { exitCode, stderr } = await program.ended;
  assert.equal(exitCode, 0);
  assert.match(stderr, /a worker died/);
});

it("reports all wrong settings at once, with exit code 2", async () => {
  const { ended } = start({ PORT: "http", AUDIENCE: "uploads", LOG_LEVEL: "loud" });
  const { exitCode, stdout, stderr } = await ended;
  assert.equal(exitCode, 2);
  assert.equal(stdout, "");
  for (const name of ["PORT", "AUDIENCE", "LOG_LEVEL"]) assert.match(stderr, new RegExp(name));
});

it("refuses to offer tokens for itself", async () => {
  const authUrl = "https://login.example.com";
  const { ended } = start({ AUTH_URL: authUrl, AUDIENCE: `urn:svc:uploads ${authUrl}` });
  const { exitCode, stderr } = await ended;
  assert.equal(exitCode, 2);
  assert.match(
    stderr,
    /^ {2}AUDIENCE: contains AUTH_URL, need identifiers of other servers only$/m,
  );
});

it("says in one line when its port is taken, with exit code 1", async () => {
  const first = start();
  const { port } = new URL(await ready(first));
  const { exitCode, stderr } = await start({ PORT: port, LOG_LEVEL: "warn" }).ended;
  assert.equal(exitCode, 1);
  assert.match(stderr, new RegExp(`^authorisation: Cannot listen on 127.0.0.1 port ${port}.*\n$`));
  first.kill("SIGTERM");
  await first.ended;
});

it("shows its settings with --help, and ends with 2 on unknown options", async () => {
  const help = await runToEnd("main.ts", ["--help"], {});
  assert.equal(help.code, 0);
  for (const name of ["HOST", "PORT", "DATABASE_URL", "DATA_DIR", "AUTH_URL", "AUDIENCE"]) {
    assert.match(help.stdout, new RegExp(`^ {2}${name} `, "m"));
  }
  assert.equal((await runToEnd("main.ts", ["--port", "1"], {})).code, 2);
});

it("with another provider, and without passwords, people are led there at once", async () => {
  await using other = await startDocumentedProvider("/realms/acme");
  const program = start({ AUTH_PROVIDER_ISSUER: other.issuer, AUTH_PROVIDER_CLIENT_ID: "stowage" });
  const { status, headers } = await fetch(`${await ready(program)}/account`, {
    redirect: "manual",
  });
  assert.equal(status, 303);
  assert.match(String(headers.get("location")), new RegExp(`^${other.url}/authorize\\?`));
  program.kill("SIGTERM");
  assert.equal((await program.ended).exitCode, 0);

  const wrong = start({ AUTH_PROVIDER_ISSUER: other.issuer });
  const { exitCode, stderr } = await wrong.ended;
  assert.equal(exitCode, 2);
  assert.match(stderr, /AUTH_PROVIDER_CLIENT_ID: got nothing/);
});
