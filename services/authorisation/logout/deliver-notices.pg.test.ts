import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { createTestDatabase, type TestDatabase, until } from "@stowage/process/testing";
import { decodeJwt } from "jose";
import type pg from "pg";
import { createServiceMetrics } from "../metrics/service-metrics.ts";
import {
  addLogoutNotices,
  claimLogoutNotices,
  removeExpiredLogoutNotices,
} from "../store/logout-notices.ts";
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
import { type Delivery, type DeliveryTimes, deliverLogoutNotices } from "./deliver-notices.ts";

// A client that answers may take long: the machine may be busy.
const times = { pollMs: 20, answerMs: 30_000, retryMsMin: 20, retryMsMax: 40, leaseMs: 60_000 };
const signingKeys = {
  currentKeyId: "key",
  ensureRecent: async () => undefined,
  sign: async () => Buffer.from("signature"),
};

const metrics = createServiceMetrics(new Registry());
let database: TestDatabase;
let pool: pg.Pool;
const deliveries: Delivery[] = [];
before(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
});
afterEach(async () => {
  await Promise.all(deliveries.splice(0).map((delivery) => delivery.stop()));
  await pool.query("delete from auth.clients");
});
after(async () => {
  await pool.end();
  await database.drop();
});

function startDelivery(changes: Partial<DeliveryTimes> = {}): Delivery {
  const authUrl = "https://auth.example";
  const logger = silentLogger;
  const timesOf = { ...times, ...changes };
  const delivery = deliverLogoutNotices({
    pool,
    authUrl,
    signingKeys,
    logger,
    times: timesOf,
    notices: metrics.logoutNotices,
  });
  deliveries.push(delivery);
  return delivery;
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

async function waiting(): Promise<{ attempts: number; dueInMs: number }[]> {
  const { rows } = await pool.query(
    `select attempts, extract(epoch from due_at - now())::float8 * 1000 as "dueInMs"
     from auth.logout_notices`,
  );
  return rows;
}

const allTold = () => until("all are told", async () => (await waiting()).length === 0);

it("tells each client once, and no client without a logout address", async () => {
  await using one = await startLogoutReceiver(status(200));
  await using other = await startLogoutReceiver(status(204));
  const silent = await addOtherClient(pool);
  const ended = { clientId: silent.clientId, subject: "urn:svc:user:7", sid: "none" };
  await addLogoutNotices(pool, [ended]);
  const clientId = await clientAt(one);
  await clientAt(other, 3);
  assert.equal((await waiting()).length, 4);

  startDelivery();
  await allTold();
  const [{ aud, sub, sid }] = one.tokens.map(decodeJwt) as [Record<string, unknown>];
  assert.deepEqual([aud, sub, sid], [clientId, "urn:svc:user:7", "session 0"]);
  assert.equal(one.tokens.length, 1);
  assert.deepEqual(sessionsOf(other), ["session 0", "session 1", "session 2"]);
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
    await using receiver = await startLogoutReceiver(fail, fail, status(200));
    await clientAt(receiver);
    startDelivery(fail === hang ? { answerMs: 200 } : {});
    await allTold();
    const ids = receiver.tokens.map((token) => decodeJwt(token).jti);
    assert.ok(ids.length >= 3);
    assert.equal(new Set(ids).size, ids.length);
  });
}

it("tries less and less often while a client is not available", async () => {
  const receiver = await startLogoutReceiver(status(200));
  await receiver[Symbol.asyncDispose]();
  await clientAt(receiver);
  startDelivery({ retryMsMin: 10, retryMsMax: 80_000 });
  await until("some tries", async () => ((await waiting())[0]?.attempts ?? 0) >= 6);
  const delivery = deliveries.splice(0);
  await delivery[0]?.stop();
  const [notice] = await waiting();
  const longestMs = 10 * 2 ** ((notice?.attempts ?? 0) - 1);
  assert.ok(notice && notice.dueInMs <= longestMs, JSON.stringify(notice));
});

it("reads only the status of an answer", async () => {
  await using receiver = await startLogoutReceiver(endless);
  await clientAt(receiver);
  startDelivery();
  await allTold();
  assert.equal(receiver.tokens.length, 1);
});

it("tells other clients while some do not answer", async () => {
  await using hanging = await startLogoutReceiver(hang);
  await using good = await startLogoutReceiver(status(200));
  for (let client = 0; client < 10; client++) await clientAt(hanging, 20);
  await clientAt(good, 20);
  startDelivery({ answerMs: 30_000 });
  await until("the good one is told", async () => good.tokens.length === 20);
  assert.equal(hanging.tokens.length, 10);
});

it("shares the work among processes: each client is told of each session once", async () => {
  await using first = await startLogoutReceiver(status(200));
  await using second = await startLogoutReceiver(status(200));
  await clientAt(first, 60);
  await clientAt(second, 60);
  for (let process = 0; process < 3; process++) startDelivery();
  await allTold();
  for (const receiver of [first, second]) {
    assert.equal(receiver.tokens.length, 60);
    assert.equal(new Set(sessionsOf(receiver)).size, 60);
  }
});

it("takes over what another process has not finished", async () => {
  await using receiver = await startLogoutReceiver(status(200));
  await clientAt(receiver);
  const claim = { countMax: 1, leaseSeconds: 0.2, exceptClients: [] };
  assert.equal((await claimLogoutNotices(pool, claim)).length, 1);
  assert.deepEqual(await claimLogoutNotices(pool, claim), []);
  startDelivery();
  await allTold();
  assert.equal(receiver.tokens.length, 1);
});

it("aborts running tries when it is stopped, and leaves them to others", async () => {
  await using receiver = await startLogoutReceiver(hang, status(200));
  await clientAt(receiver);
  const stopped = startDelivery({ answerMs: 60_000 });
  await until("the first try", async () => receiver.tokens.length === 1);
  await stopped.stop();
  startDelivery();
  await allTold();
  assert.equal(receiver.tokens.length, 2);
});

it("looks for notices when it is woken", async () => {
  await using receiver = await startLogoutReceiver(status(200));
  const delivery = startDelivery({ pollMs: 3_600_000 });
  await clientAt(receiver);
  delivery.wake();
  await allTold();
});

it("stops when a notice has expired", async () => {
  await using receiver = await startLogoutReceiver(status(200));
  const clientId = await clientAt(receiver, 2);
  await pool.query("update auth.logout_notices set expires_at = now()");
  const claim = { countMax: 9, leaseSeconds: 60, exceptClients: [] };
  assert.deepEqual(await claimLogoutNotices(pool, claim), []);
  assert.deepEqual(await removeExpiredLogoutNotices(pool), new Map([[clientId, 2]]));
  assert.deepEqual(await waiting(), []);
});

function sessionsOf({ tokens }: LogoutReceiver): unknown[] {
  return tokens.map((token) => decodeJwt(token).sid);
}
