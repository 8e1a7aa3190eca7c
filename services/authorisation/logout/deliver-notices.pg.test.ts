import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { createTestDatabase, type TestDatabase, until } from "@stowage/process/testing";
import { decodeJwt } from "jose";
import type pg from "pg";
import { createServiceMetrics } from "../metrics/service-metrics.ts";
import { addLogoutNotices } from "../store/logout-notices.ts";
import { authSchema } from "../store/migrate-store.ts";
import {
  breakOff,
  endless,
  hang,
  type LogoutReceiver,
  startLogoutReceiver,
  status,
} from "../testing/logout-receiver.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { openTestPool, silentLogger } from "../testing/signing-keys.ts";
import { deliverLogoutNotices } from "./deliver-notices.ts";

const signingKeys = {
  currentKeyId: "key",
  ensureRecent: async () => undefined,
  sign: async () => Buffer.from("signature"),
};

const metrics = createServiceMetrics(new Registry());
let database: TestDatabase;
let pool: pg.Pool;
const stops: (() => Promise<void>)[] = [];
before(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await pool.query("delete from auth.clients");
});
after(async () => {
  await pool.end();
  await database.drop();
});

/** A client that answers may take long: the machine may be busy. */
function startDelivery(answerMs = 30_000): void {
  const stop = deliverLogoutNotices({
    pool,
    authUrl: "https://auth.example",
    signingKeys,
    logger: silentLogger,
    times: { answerMs, pausesMs: [0, 10, 50] },
    notices: metrics.logoutNotices,
  });
  stops.push(stop);
}

/** A client with this logout address, and so many notices for it. Returns its ID. */
async function clientAt({ logoutUri }: Pick<LogoutReceiver, "logoutUri">, sessions = 1) {
  const { clientId } = await addOtherClient(pool, { backChannelLogoutUri: logoutUri });
  const ended = Array.from({ length: sessions }, (_, index) => ({
    clientId,
    subject: "urn:svc:user:7",
    sid: `session ${index}`,
  }));
  await addLogoutNotices(pool, ended);
  return clientId;
}

it("tells each client once, and no client without a logout address", async () => {
  await using one = await startLogoutReceiver(status(200));
  await using other = await startLogoutReceiver(status(204));
  const silent = await addOtherClient(pool);
  const ended = { clientId: silent.clientId, subject: "urn:svc:user:7", sid: "none" };
  await addLogoutNotices(pool, [ended]);
  const clientId = await clientAt(one);
  await addLogoutNotices(pool, [{ clientId, subject: "urn:svc:user:7", sid: "session 0" }]);
  await clientAt(other, 3);

  startDelivery();
  await until("all are told", async () => one.tokens.length + other.tokens.length === 4);
  const [{ aud, sub, sid }] = one.tokens.map(decodeJwt) as [Record<string, unknown>];
  assert.deepEqual([aud, sub, sid], [clientId, "urn:svc:user:7", "session 0"]);
  assert.deepEqual(sessionsOf(other), ["session 0", "session 1", "session 2"]);
  assert.equal((await pool.query("select from auth.logout_notices")).rowCount, 0);
});

it("looks for notices again and again", async () => {
  await using receiver = await startLogoutReceiver(status(200));
  await clientAt(receiver);
  startDelivery();
  await until("the first is told", async () => receiver.tokens.length === 1);
  await clientAt(receiver);
  await until("the second is told", async () => receiver.tokens.length === 2);
});

const failures = {
  "says 500": status(500),
  "says that the token is wrong": status(400),
  "breaks the connection": breakOff,
  "does not answer in time": hang,
  "sends us elsewhere": status(307, { location: "http://127.0.0.1:1/" }),
};
for (const [how, fail] of Object.entries(failures)) {
  it(`tries again when a client ${how}, with another token each time`, async () => {
    const before = await count("delivered");
    await using receiver = await startLogoutReceiver(fail, fail, status(200));
    await clientAt(receiver);
    startDelivery(fail === hang ? 200 : undefined);
    await until("it is told", async () => (await count("delivered")) === before + 1);
    assert.equal(new Set(receiver.tokens.map((token) => decodeJwt(token).jti)).size, 3);
  });
}

it("gives up after three tries", async () => {
  const before = await count("failed");
  await using receiver = await startLogoutReceiver(status(500));
  await clientAt(receiver);
  startDelivery();
  await until("it gives up", async () => (await count("failed")) === before + 1);
  assert.equal(receiver.tokens.length, 3);
});

it("reads only the status of an answer", async () => {
  const before = await count("delivered");
  await using receiver = await startLogoutReceiver(endless);
  await clientAt(receiver);
  startDelivery();
  await until("it is told", async () => (await count("delivered")) === before + 1);
});

it("tells other clients while some do not answer", async () => {
  await using hanging = await startLogoutReceiver(hang);
  await using good = await startLogoutReceiver(status(200));
  for (let client = 0; client < 10; client++) await clientAt(hanging, 20);
  await clientAt(good, 20);
  startDelivery();
  await until("the good one is told", async () => good.tokens.length === 20);
});

it("shares the work among processes: each client is told of each session once", async () => {
  await using first = await startLogoutReceiver(status(200));
  await using second = await startLogoutReceiver(status(200));
  await clientAt(first, 60);
  await clientAt(second, 60);
  const before = await count("delivered");
  for (let process = 0; process < 3; process++) startDelivery();
  await until("all are told", async () => (await count("delivered")) === before + 120);
  for (const receiver of [first, second]) assert.equal(new Set(sessionsOf(receiver)).size, 60);
});

it("aborts running tries when it is stopped", async () => {
  const before = await count("failed");
  await using receiver = await startLogoutReceiver(hang);
  await clientAt(receiver);
  startDelivery();
  await until("the first try", async () => receiver.tokens.length === 1);
  await stops.pop()?.();
  assert.equal(await count("failed"), before + 1);
  assert.equal(receiver.tokens.length, 1);
});

function sessionsOf({ tokens }: LogoutReceiver): unknown[] {
  return tokens.map((token) => decodeJwt(token).sid).sort();
}

async function count(result: string): Promise<number> {
  const { values } = await metrics.logoutNotices.get();
  return values.find(({ labels }) => labels.result === result)?.value ?? 0;
}
