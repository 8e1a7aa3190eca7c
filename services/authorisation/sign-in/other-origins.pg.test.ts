/** Which pages of other origins may send requests, and read the answers (CORS). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { relayDatabase } from "@stowage/process/testing";
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

  it("may ask whether they may send a request, if a public client has their origin", async () => {
    for (const path of [...paths, ...documents]) {
      const { status, headers } = await preflight(path, pageOrigin);
      assert.equal(status, 204, path);
      assert.equal(headers.get("access-control-allow-origin"), pageOrigin, path);
      assert.equal(headers.get("access-control-allow-headers"), "authorization", path);
      assert.equal(headers.get("access-control-allow-credentials"), null);
    }
  });

  it("learn nothing otherwise, except from the public documents", async () => {
    await addActingClient(service.pool, {
      secret: "a secret",
      redirectUris: [`${strangeOrigin}/callback`],
    });
    const native = await addActingClient(service.pool, {
      isNative: true,
      redirectUris: ["http://127.0.0.1/callback"],
    });
    assert.ok(native);
    for (const path of paths) {
      for (const origin of [strangeOrigin, "http://127.0.0.1", "null"]) {
        const { headers } = await preflight(path, origin);
        const names = [...headers.keys()].filter((name) => name.startsWith("access-control"));
        assert.deepEqual(names, [], `${path} ${origin}`);
      }
    }
    for (const path of documents) {
      const { headers } = await preflight(path, strangeOrigin);
      assert.equal(headers.get("access-control-allow-origin"), strangeOrigin);
    }
  });

  it("do not read that the database is away, which programs do", async () => {
    const database = await relayDatabase(service.databaseUrl);
    const another = await service.startAnother({ databaseUrl: database.databaseUrl });
    await database.cut();
    for (const headers of [{}, { origin: pageOrigin }]) {
      const body = new URLSearchParams({ client_id: acting.client.client_id });
      const response = await fetch(`${another.authUrl}/token`, { method: "POST", headers, body });
      assert.equal(response.status, 503);
      assert.equal(response.headers.get("access-control-allow-origin"), null);
    }
    await database.mend();
    await another.stop();
    await database.cut();
  });

  it("read userinfo and its errors only on an origin of the token's client", async () => {
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
    assert.equal(await allowed("expired", strangeOrigin), null);
  });
});
