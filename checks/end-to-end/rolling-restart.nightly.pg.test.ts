/** Two uploads servers behind HAProxy are restarted one after the other, and no request fails. */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import { plainLines } from "../conformance/samples/plain.ts";
import { callers } from "../conformance/samples/tenants.ts";
import { runImport } from "../conformance/testing/deployment.ts";
import { listUploadsPath } from "../conformance/testing/json-caller.ts";
import { callHeaders } from "../testing/call-headers.ts";
import { audience, type Issuer, startIssuer } from "../testing/issuer.ts";
import { atConstantRate } from "../testing/load.ts";
import { type Service, startService } from "../testing/programs.ts";
import { findHaproxy, type Haproxy, startHaproxy } from "./testing/haproxy.ts";

const requestsPerSecond = 500;

const lists = [
  {},
  { sortBy: "filename", sortOrder: "asc" },
  { path: "/folder", pageSize: 10 },
  { search: "file 1" },
  { sortBy: "size_bytes", pageSize: 1000 },
];

const program = await findHaproxy();

describe("a rolling restart behind HAProxy", {
  skip: program === undefined && "HAProxy is not installed",
}, () => {
  let database: TestDatabase;
  let issuer: Issuer;
  let haproxy: Haproxy;
  let token = "";
  const servers: Service[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  const startServer = (port: string) =>
    startService("uploads", {
      PORT: port,
      DATABASE_URL: database.databaseUrl,
      AUTH_URL: issuer.url,
      AUDIENCE: audience,
      DATABASE_CONNECTIONS_MAX: "8",
      // The default, which other tests do not wait for.
      DRAIN_MS: "5000",
      LOG_LEVEL: "warn",
    });

  before(async () => {
    database = await createTestDatabase();
    issuer = await startIssuer();
    token = issuer.mint(callers.reader);
    const lines = plainLines.map((line) => JSON.stringify(line)).join("\n");
    const { exitCode, stderr } = await runImport(database.databaseUrl, lines);
    assert.equal(exitCode, 0, stderr);
    servers.push(await startServer("0"), await startServer("0"));
    const [one = 0, two = 0] = servers.map(({ url }) => Number(new URL(url).port));
    haproxy = await startHaproxy(program ?? "", [one, two]);
  });
  after(async () => {
    agent.destroy();
    await haproxy?.close();
    await Promise.all(servers.map((server) => server.stop()));
    await issuer?.close();
    await database?.drop();
  });

  /** The status and the body. Rejects if the connection breaks. */
  const list = (body: object) =>
    new Promise<string>((resolve, reject) => {
      const headers = callHeaders(token);
      const url = new URL(listUploadsPath, haproxy.url);
      const call = request(url, { method: "POST", headers, agent }, (response) => {
        let text = `${response.statusCode} `;
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve(text)).on("error", reject);
      });
      call.on("error", reject).end(JSON.stringify(body));
    });

  it("fails no request, and changes no answer", { timeout: 120_000 }, async (context) => {
    const expected = await Promise.all(lists.map(list));
    for (const text of expected) assert.match(text, /^200 \{"uploads":\[\{/);
    const failures = new Map<string, number>();
    const load = atConstantRate(requestsPerSecond, async () => {
      const index = Math.floor(Math.random() * lists.length);
      const outcome = await list(lists[index] ?? {}).catch((error: Error) => error.message);
      if (outcome === expected[index]) return;
      const failure = outcome.slice(0, 200);
      failures.set(failure, (failures.get(failure) ?? 0) + 1);
    });
    const startedMs = performance.now();
    for (const [index, server] of servers.entries()) {
      await server.stop();
      servers[index] = await startServer(new URL(server.url).port);
      await haproxy.untilAllUp();
    }
    await load.stop();
    const perSecond = load.begun / ((performance.now() - startedMs) / 1000);
    context.diagnostic(`${load.begun} requests, ${Math.round(perSecond)} in a second`);
    assert.deepEqual(Object.fromEntries(failures), {}, `of ${load.begun} requests`);
  });
});
