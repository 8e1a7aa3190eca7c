/** Calls by web pages of other origins, as browsers make them (Fetch standard, "CORS protocol"). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callHeaders } from "../testing/call-headers.ts";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listUploadsPath } from "./testing/json-caller.ts";

const app = "https://app.example.com";
const stranger = "https://other.example.com";

const call = ({ url, issuer }: Deployment, origin: string, token = issuer.mint(callers.reader)) =>
  fetch(url + listUploadsPath, {
    method: "POST",
    headers: { origin, ...callHeaders(token) },
    body: "{}",
  });

const preflight = ({ url }: Deployment, origin: string) =>
  fetch(url + listUploadsPath, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,connect-protocol-version,content-type",
    },
  });

const wordsOf = (header: string | null) => (header ?? "").toLowerCase().split(", ");

describe("with CORS_ORIGINS", () => {
  let deployment: Deployment;
  before(async () => {
    const environment = { CORS_ORIGINS: `http://localhost:5173 ${app}` };
    deployment = await deploy({ lines: plainLines, environment });
  });
  after(() => deployment?.close());

  it("allows a page of such an origin what Connect and gRPC-Web need", async () => {
    const { status, headers } = await preflight(deployment, app);
    assert.equal(status, 204);
    assert.equal(headers.get("access-control-allow-origin"), app);
    assert.deepEqual(wordsOf(headers.get("access-control-allow-methods")), ["post"]);
    const allowed = wordsOf(headers.get("access-control-allow-headers"));
    const needed = ["authorization", "content-type", "connect-protocol-version", "x-request-id"];
    const ofGrpcWeb = ["x-grpc-web", "x-user-agent", "grpc-timeout", "traceparent"];
    for (const name of [...needed, ...ofGrpcWeb]) assert.ok(allowed.includes(name), name);
    assert.equal(headers.get("access-control-allow-credentials"), null);
  });

  it("lets it read answers and errors with their headers", async () => {
    for (const [token, status] of [[undefined, 200] as const, ["x", 401] as const]) {
      const answer = await call(deployment, app, token);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get("access-control-allow-origin"), app);
      assert.equal(answer.headers.get("vary"), "Origin");
      const exposed = wordsOf(answer.headers.get("access-control-expose-headers"));
      const needed = ["x-request-id", "retry-after", "www-authenticate", "grpc-status"];
      for (const name of needed) assert.ok(exposed.includes(name), name);
    }
  });

  it("allows nothing to other origins", async () => {
    const refused = await preflight(deployment, stranger);
    assert.equal(refused.status, 405);
    for (const answer of [refused, await call(deployment, stranger)]) {
      assert.equal(answer.headers.get("access-control-allow-origin"), null);
      assert.equal(answer.headers.get("vary"), "Origin");
    }
  });
});

describe("without CORS_ORIGINS", () => {
  it("allows nothing to any origin", async () => {
    const deployment = await deploy({ lines: plainLines });
    try {
      const answers = [await preflight(deployment, app), await call(deployment, app)];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [405, 200],
      );
      for (const { headers } of answers) {
        assert.equal(headers.get("access-control-allow-origin"), null);
      }
    } finally {
      await deployment.close();
    }
  });
});
