/** The metrics of the uploads service, and that they agree with the calls that were made. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findPort, until } from "@stowage/process/testing";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, type JsonCall, listFolderTreePath } from "./testing/json-caller.ts";

for (const workers of ["1", "2"]) {
  describe(`metrics of WORKERS=${workers}`, () => {
    let deployment: Deployment;
    let metricsUrl: string;
    before(async () => {
      const port = `${await findPort()}`;
      metricsUrl = `http://127.0.0.1:${port}/metrics`;
      const environment = { METRICS_PORT: port, WORKERS: workers };
      deployment = await deploy({ lines: plainLines, environment });
    });
    after(() => deployment?.close());

    async function metric(name: string, labels = ""): Promise<number> {
      const text = await (await fetch(metricsUrl)).text();
      const start = `${name}${labels && `{${labels}}`} `;
      const line = text.split("\n").find((each) => each.startsWith(start));
      return Number(line?.slice(start.length) ?? 0);
    }

    it("count calls by operation, code and reason", async () => {
      const token = deployment.issuer.mint(callers.reader);
      const headers = { "accept-encoding": "identity" };
      const call = (jsonCall: JsonCall) => callJson(deployment.url, { headers, ...jsonCall });
      const answers = [
        await call({ token, body: { pageSize: 10 } }),
        await call({ token, body: { search: "file 7", recursive: true } }),
        await call({}),
        await call({ token, path: listFolderTreePath }),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 401, 200],
      );
      const lists = 'operation="ListUploads",code="ok",reason="OK"';
      await until(
        "the calls are counted",
        async () => (await metric("stowage_calls_total", lists)) === 2,
      );
      const refused = 'operation="ListUploads",code="unauthenticated",reason="TOKEN_MISSING"';
      assert.equal(await metric("stowage_calls_total", refused), 1);
      assert.equal(await metric("stowage_call_duration_seconds_count", lists), 2);
      const bytes = answers.slice(0, 2).map(({ text }) => Buffer.byteLength(text));
      const sum = bytes.reduce((one, other) => one + other);
      assert.equal(await metric("stowage_call_answer_bytes_total", lists), sum);
      const trees = 'operation="ListFolderTree",code="ok",reason="OK"';
      await until(
        "the calls are counted",
        async () => (await metric("stowage_calls_total", trees)) === 1,
      );
    });

    it("tell timeouts of callers from that of the server", async () => {
      const token = deployment.issuer.mint(callers.reader);
      const headers = { "connect-timeout-ms": "0" };
      assert.equal((await callJson(deployment.url, { token, headers })).status, 504);
      const labels = 'operation="ListUploads",code="deadline_exceeded",reason="CALLER_TIMEOUT"';
      await until(
        "the call is counted",
        async () => (await metric("stowage_calls_total", labels)) === 1,
      );
    });

    it("count rows and plans", async () => {
      assert.equal(await metric("stowage_call_rows_count", 'operation="ListUploads"'), 2);
      assert.equal(await metric("stowage_call_rows_sum", 'operation="ListUploads"'), 11);
      const wholePage = 'plan="whole page",result="answered"';
      assert.equal(await metric("stowage_list_plans_total", wholePage), 1);
      assert.equal(await metric("stowage_list_truncated_rows_count"), 0);
    });

    it("show that no call is running, and the pools", async () => {
      assert.equal(await metric("stowage_calls_running", 'operation="ListUploads"'), 0);
      assert.ok((await metric("stowage_pool_connections_max", 'pool="lists"')) > 0);
      assert.equal(await metric("stowage_pool_waiting", 'pool="trees"'), 0);
    });

    it("show the issuer's keys and the age of the denylist", async () => {
      const fetched = 'result="fetched"';
      assert.ok((await metric("stowage_key_set_fetch_duration_seconds_count", fetched)) > 0);
      assert.ok((await metric("stowage_denylist_lag_seconds")) < 10);
    });

    it("show how the cache of tokens is used", async () => {
      const entries = await metric("stowage_token_cache_entries");
      assert.ok(entries > 0);
      assert.ok((await metric("stowage_token_cache_lookups_total", 'result="miss"')) >= entries);
    });
  });
}
