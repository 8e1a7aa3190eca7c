/** Which pages of other origins may send requests, and read the answers (CORS). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  callback,
  runCodeFlow,
} from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const pageOrigin = new URL(callback).origin;
const strangeOrigin = "https://other.example";
let service: TestService;
let acting: ActingClient;
before(async () => {
  service = await startTestService();
  acting = await addActingClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

describe("pages of other origins", () => {
  const paths = ["/token", "/revocation", "/userinfo", "/par"];
  const documents = ["jwks.json", "openid-configuration"].map((name) => `/.well-known/${name}`);
  const preflight = (path: string, origin: string) =>
    fetch(service.authUrl + path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": path === "/userinfo" ? "GET" : "POST",
        "access-control-request-headers": "authorization",
      },
    });

  it("may ask whether they may send a request, without a statement in the database", async () => {
    const { pool } = service;
    const count = async () => {
      await pool.query("select pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
      const { rows } = await pool.query<{ count: string }>(
        "select seq_scan + idx_scan as count from pg_stat_user_tables where relname = 'clients'",
      );
      return rows[0]?.count;
    };
    const before = await count();
    for (const path of [...paths, ...documents]) {
      const { status, headers } = await preflight(path, strangeOrigin);
      assert.equal(status, 204, path);
      assert.equal(headers.get("access-control-allow-origin"), strangeOrigin, path);
      assert.equal(headers.get("access-control-allow-headers"), "authorization", path);
      assert.equal(headers.get("access-control-allow-credentials"), null);
    }
    assert.equal(await count(), before);
  });

  it("read answers only for a public client of their own", async () => {
    const secret = "a secret that is long enough";
    const confidential = await addActingClient(service.pool, { secret });
    const ask = async ({ client_id }: ActingClient["client"], origin: string) => {
      const body = new URLSearchParams({ grant_type: "refresh_token", client_id });
      const headers = { origin };
      const response = await fetch(`${service.authUrl}/token`, { method: "POST", headers, body });
      return response.headers.get("access-control-allow-origin");
    };
    assert.equal(await ask(acting.client, pageOrigin), pageOrigin);
    assert.equal(await ask(acting.client, strangeOrigin), null);
    assert.equal(await ask(acting.client, "null"), null);
    assert.equal(await ask(confidential.client, pageOrigin), null);
  });

  it("read userinfo only on an origin of the token's client", async () => {
    const other = await addActingClient(service.pool, {
      redirectUris: ["https://second.example/callback"],
    });
    assert.ok(other);
    const { tokens } = await runCodeFlow(service.authUrl, acting, await addPerson(service.pool));
    const allowed = async (token: string, origin: string) => {
      const headers = { authorization: `Bearer ${token}`, origin };
      const response = await fetch(`${service.authUrl}/userinfo`, { headers });
      return response.headers.get("access-control-allow-origin");
    };
    assert.equal(await allowed(tokens.access_token, pageOrigin), pageOrigin);
    assert.equal(await allowed(tokens.access_token, "https://second.example"), null);
    assert.equal(await allowed("expired", pageOrigin), pageOrigin);
  });
});
