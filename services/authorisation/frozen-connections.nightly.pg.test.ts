/** The service behind a network that drops what is sent on existing database connections. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { type DatabaseRelay, relayDatabase } from "@stowage/process/testing";
import type { Service } from "./service.ts";
import { startTestService, type TestService } from "./testing/test-service.ts";

let direct: TestService;
let relay: DatabaseRelay;
let service: Service;
before(async () => {
  direct = await startTestService();
  relay = await relayDatabase(direct.databaseUrl);
  service = await direct.startAnother({ databaseUrl: relay.databaseUrl });
});
after(async () => {
  await service.stop();
  await relay.cut();
  await direct[Symbol.asyncDispose]();
});

/** The time limit of a statement, and a second. */
const recoveryMaxMs = 11_000;

/** Needs the database, and no hashing: the service looks for the client. */
async function ask(): Promise<Response> {
  const response = await fetch(`${service.authUrl}/auth?client_id=${randomUUID()}`);
  await response.text();
  return response;
}

it("answers every request, and uses new connections when statements have failed", async () => {
  const startMs = performance.now();
  await Promise.all(Array.from({ length: 24 }, ask));
  // On a busy machine, everything takes longer.
  const busyMs = performance.now() - startMs;
  relay.freeze();
  const frozenMs = performance.now();
  const early = Array.from({ length: 24 }, ask);
  while ((await ask()).status !== 400);
  const tookMs = performance.now() - frozenMs;
  assert.ok(tookMs < recoveryMaxMs + 2 * busyMs, `took ${tookMs} ms`);
  for (const { status, headers } of await Promise.all(early)) {
    assert.ok(status === 400 || status === 503);
    if (status === 503) assert.equal(headers.get("retry-after"), "1");
  }
  assert.equal((await fetch(`${service.authUrl}/readyz`)).status, 200);
});
