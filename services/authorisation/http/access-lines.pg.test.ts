import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createLogger, type Logger } from "@stowage/process";
import { until } from "@stowage/process/testing";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { postForm } from "../testing/token-request.ts";

const lines: Record<string, unknown>[] = [];
let service: TestService;
before(async () => {
  const silent = createLogger({ name: "test", level: "silent" });
  const info = (members: Record<string, unknown>, message: string) => {
    if (message === "request") lines.push(members);
  };
  const logger = Object.assign(Object.create(silent), { info, isLevelEnabled: () => true });
  service = await startTestService({ accessLog: "on", logger: logger as Logger });
});
after(() => service[Symbol.asyncDispose]());

/** The line of a request. */
async function lineOf(requestId: string | null): Promise<Record<string, unknown>> {
  const find = () => lines.find((line) => line.requestId === requestId);
  await until("the line is written", async () => find() !== undefined);
  const { timeMs, ...line } = find() ?? {};
  assert.equal(typeof timeMs, "number");
  return line;
}

it("logs who requested a token, under the caller's request ID", async () => {
  const headers = { "x-request-id": "from-the-proxy_1" };
  const response = await postForm(service.authUrl, { grant_type: "client_credentials" }, headers);
  assert.equal(response.headers.get("x-request-id"), "from-the-proxy_1");
  const { subject: _, ...line } = await lineOf("from-the-proxy_1");
  assert.deepEqual(line, {
    requestId: "from-the-proxy_1",
    route: "/token",
    method: "POST",
    status: "200",
    clientId: testClient.clientId,
    grant: "client_credentials",
    error: undefined,
  });
});

it("gives a request without a usable ID a new one, and logs the error of a refusal", async () => {
  const form = { grant_type: "client_credentials", scope: "no:such:scope" };
  const response = await postForm(service.authUrl, form, { "x-request-id": "a b" });
  const requestId = response.headers.get("x-request-id");
  assert.match(requestId ?? "", /^[\w-]{36}$/);
  const { status, error } = await lineOf(requestId);
  assert.deepEqual([status, error], ["400", "invalid_scope"]);
});

it("logs no path, secret or ID that a caller invents", async () => {
  const path = "/secret-path?secret=query";
  const { headers } = await fetch(service.authUrl + path);
  const line = await lineOf(headers.get("x-request-id"));
  assert.deepEqual([line.route, line.status], ["unknown", "404"]);
  assert.doesNotMatch(
    JSON.stringify(lines),
    new RegExp(`secret-path|query|${testClient.clientSecret}`),
  );
});
