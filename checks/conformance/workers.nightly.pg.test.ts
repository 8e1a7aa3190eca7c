/** The service with several workers, which look like one service to callers. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { until, withClient } from "@stowage/process/testing";
import { callHeaders } from "../testing/call-headers.ts";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listUploadsPath } from "./testing/json-caller.ts";

const workers = 3;
const uploadCount = plainLines.filter((line) => "upload" in line).length;

describe("the uploads service with WORKERS", () => {
  let deployment: Deployment;
  before(async () => {
    const environment = { WORKERS: `${workers}`, DATABASE_CONNECTIONS_MAX: "7" };
    deployment = await deploy({ lines: plainLines, environment });
  });
  after(() => deployment?.close());

  /** Uses a new connection, which any worker may accept. */
  async function list(body: object): Promise<{ status: number; text: string }> {
    const headers = callHeaders(deployment.issuer.mint(callers.reader));
    const url = new URL(listUploadsPath, deployment.url);
    return new Promise((resolve, reject) => {
      const asked = request(url, { method: "POST", headers, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      });
      asked.on("error", reject).end(JSON.stringify(body));
    });
  }

  const workerIds = () => deployment.service.workerIds();

  /** Connections to the dead worker fail; no call waits forever. */
  async function answerOrReset(): Promise<void> {
    try {
      assert.equal((await list({})).status, 200);
    } catch (error) {
      assert.match(String(error), /ECONNRESET|ECONNREFUSED|socket hang up/);
    }
  }

  it("reports once that it listens, and answers in the given number of processes", async () => {
    assert.equal((await workerIds()).length, workers);
    for (let asked = 0; asked < workers; asked++) {
      assert.equal((await fetch(new URL("/readyz", deployment.url))).status, 200);
    }
  });

  it("accepts a cursor of another worker", async () => {
    const ids: string[] = [];
    let cursor = "";
    do {
      const { status, text } = await list({ cursor, pageSize: 7 });
      assert.equal(status, 200, text);
      const page = JSON.parse(text);
      ids.push(...page.uploads.map(({ uploadId }: { uploadId: string }) => uploadId));
      cursor = page.nextCursor;
    } while (cursor !== "");
    assert.equal(new Set(ids).size, uploadCount);
    assert.equal(ids.length, uploadCount);
  });

  it("shares the maximum of connections for lists among all workers", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => list({})));
    assert.ok(answers.every(({ status }) => status === 200));
    const { rows } = await withClient(deployment.databaseUrl, (client) =>
      client.query(`select pid from pg_stat_activity
        where application_name = 'stowage-uploads' and datname = current_database()`),
    );
    // Each of three workers has a third of seven connections: two. Another is for readiness.
    assert.ok(rows.length >= workers && rows.length <= 9, `${rows.length} connections`);
  });

  it("answers while a worker dies, starts another, and logs it", async () => {
    const before = new Set(await workerIds());
    const [victim = 0] = before;
    process.kill(victim, "SIGKILL");
    await until("another worker runs", async () => {
      await answerOrReset();
      const ids = await workerIds();
      return ids.length === workers && !ids.includes(victim);
    });
    const lines = deployment.service.log().trim().split("\n");
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /worker/.test(msg));
    assert.deepEqual(
      told.map(({ msg, workerProcessId, signal }) => [msg, workerProcessId, signal]).slice(0, 1),
      [["a worker died", victim, "SIGKILL"]],
    );
  });

  it("replaces a worker after a newer version has migrated the schema", async () => {
    await withClient(deployment.databaseUrl, (client) =>
      client.query("insert into uploads.migrations (number, name) values (9999, '9999-newer')"),
    );
    const { log } = deployment.service;
    const logged = log().length;
    const [victim = 0] = await workerIds();
    process.kill(victim, "SIGKILL");
    await until("another worker has replaced it", async () =>
      log().slice(logged).includes("a worker has replaced one that died"),
    );
  });
});
