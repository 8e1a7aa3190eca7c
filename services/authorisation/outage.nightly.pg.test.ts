/** The service while PostgreSQL crashes under it and comes back. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import {
  type StartedProcess,
  startTestServer,
  type TestServer,
  until,
  withClient,
} from "@stowage/process/testing";
import type pg from "pg";
import { addOtherClient, type OtherClient } from "./testing/other-clients.ts";
import { ready, runToEnd, startProgram } from "./testing/run-program.ts";
import { openTestPool } from "./testing/signing-keys.ts";
import { testKeyEncryptionKey } from "./testing/test-service.ts";

let server: TestServer;
let program: StartedProcess;
let authUrl = "";
let pool: pg.Pool;
let client: OtherClient;
before(async () => {
  server = await startTestServer();
  const settings = { DATABASE_URL: server.databaseUrl, KEY_ENCRYPTION_KEY: testKeyEncryptionKey };
  program = startProgram("main.ts", [], { ...settings, PORT: "0", LOG_LEVEL: "info" });
  authUrl = await ready(program);
  pool = openTestPool(server.databaseUrl);
  client = await addOtherClient(pool);
});
after(async () => {
  program.kill("SIGTERM");
  await program.ended;
  await pool.end();
  await server.stop();
});

interface Answered {
  status: number;
  retryAfter: string | null;
  text: string;
}

async function ask(path: string, form?: Record<string, string>): Promise<Answered> {
  const { authorization } = client;
  const post = form && { method: "POST", body: new URLSearchParams(form) };
  const headers: Record<string, string> = form ? { authorization } : {};
  const response = await fetch(`${authUrl}${path}`, { ...post, headers });
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, retryAfter, text: await response.text() };
}

const requests = {
  token: () => ask("/token", { grant_type: "client_credentials" }),
  introspection: () => ask("/introspection", { token: "unknown" }),
  revocation: () => ask("/revocation", { token: "unknown" }),
};
const documents = ["/.well-known/jwks.json", "/.well-known/openid-configuration", "/healthz"];

const logs = (message: string) =>
  until(`it logs "${message}"`, async () => program.stderr().includes(message));

async function issue(): Promise<string> {
  const { status, text } = await requests.token();
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { access_token: string }).access_token;
}

function assertAnswersOrRefuses({ status, retryAfter, text }: Answered): void {
  if (status === 200) return;
  assert.equal(status, 503, text);
  assert.equal(retryAfter, "1");
  assert.deepEqual(JSON.parse(text), {
    error: "server_error",
    error_description: "the authorisation server cannot answer now; try again later",
  });
}

it("answers all requests while PostgreSQL crashes, and recovers by itself", async () => {
  const before = await issue();
  const answers = Object.fromEntries(Object.keys(requests).map((name) => [name, [] as Answered[]]));
  const stopping = new AbortController();
  const load = Object.entries(requests).flatMap(([name, request]) =>
    [1, 2].map(async () => {
      while (!stopping.signal.aborted) answers[name]?.push(await request());
    }),
  );
  const statuses = (name: string) => answers[name]?.map(({ status }) => status) ?? [];
  const everywhere = (status: number) =>
    Object.keys(requests).every((name) => statuses(name).includes(status));
  try {
    await until("answers", async () => everywhere(200));
    await server.crash();
    await until("the outage shows", async () => everywhere(503));
    for (const path of documents) assert.equal((await ask(path)).status, 200, path);
    for (const path of [`/auth?client_id=${client.clientId}`, "/session/end"]) {
      const { status, retryAfter, text } = await ask(path);
      assert.deepEqual([status, retryAfter], [503, "1"], path);
      assert.match(text, /<h1>This does not work at the moment<\/h1>/);
      assert.doesNotMatch(text, /ECONN|connection|sql|127\.0\.0\.1/i);
    }
    const { status, text } = await ask("/readyz");
    assert.deepEqual([status, JSON.parse(text).failing], [503, ["database"]]);

    await logs("cannot read the signing keys");

    await server.restart();
    const recovered = (name: string) => statuses(name).at(-1) === 200;
    await until("all recovers", async () => {
      Object.values(answers).flat().forEach(assertAnswersOrRefuses);
      return Object.keys(requests).every(recovered);
    });
  } finally {
    stopping.abort();
    await Promise.all(load);
  }
  Object.values(answers).flat().forEach(assertAnswersOrRefuses);
  await until("it is ready", isReady);
  const isActive = async (token: string) => {
    const answers: Answered[] = [];
    // After a long outage it refuses until it has read which tokens are revoked.
    await until("it introspects", async () => {
      answers.push(await ask("/introspection", { token }));
      answers.forEach(assertAnswersOrRefuses);
      return answers.at(-1)?.status === 200;
    });
    return (JSON.parse(answers.at(-1)?.text ?? "") as { active: boolean }).active;
  };
  assert.equal(await isActive(before), true, "tokens from before are good still");
  const token = await issue();
  await ask("/revocation", { token });
  await until("the token is revoked", async () => !(await isActive(token)));
  await logs("the signing keys can be read again");
});

/** Ends all other connections, so that the services connect anew. */
const endConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and datname = current_database()`;

const isReady = async () => (await ask("/readyz")).status === 200;

async function assertUnavailable(reason: string): Promise<void> {
  await until(
    "it is not ready",
    async () => !(await isReady()) && program.stderr().includes(reason),
  );
  const answer = await requests.token();
  assert.equal(answer.status, 503, answer.text);
  assertAnswersOrRefuses(answer);
}

it("is unavailable while the database refuses its password", async () => {
  const { password } = new URL(server.databaseUrl);
  const change = (text: string) => `alter role current_user password '${text}'`;
  await withClient(server.databaseUrl, async (admin) => {
    await admin.query(change("another"));
    await admin.query(endConnections);
    await assertUnavailable("password authentication failed");
    await admin.query(change(password));
  });
  await until("it is ready", isReady);
});

it("is unavailable while the database is read-only, and does not start then", async () => {
  const setting = "default_transaction_read_only";
  const name = new URL(server.databaseUrl).pathname.slice(1);
  const reason = "its transactions are read-only, need the primary";
  await withClient(server.databaseUrl, async (admin) => {
    await admin.query(`alter database ${name} set ${setting} = on`);
    await admin.query(endConnections);
    await assertUnavailable(reason);
    const environment = {
      DATABASE_URL: server.databaseUrl,
      KEY_ENCRYPTION_KEY: testKeyEncryptionKey,
      PORT: "0",
    };
    const { code, stderr } = await runToEnd("main.ts", [], environment);
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`^authorisation: Cannot write to the database: ${reason}$`, "m"),
    );
    await admin.query(`alter database ${name} reset ${setting}`);
    await admin.query(endConnections);
  });
  await until("it is ready", isReady);
});

it("logs what happened, without the password of the database", async () => {
  program.kill("SIGTERM");
  const { exitCode, stderr } = await program.ended;
  assert.equal(exitCode, 0);
  const logged = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const over = logged.find(({ msg }) => msg === "the signing keys can be read again");
  assert.equal(over?.level, "warn", "as its beginning");
  const lines = logged.filter(({ msg }) => msg === "cannot answer a request");
  assert.ok(lines.length > 0 && lines.length < 10, "few lines, however many requests fail");
  assert.ok(lines.every(({ err }) => err === undefined));
  assert.ok(!stderr.includes(new URL(server.databaseUrl).password));
});
