/** The alerting rules and the dashboard read only what the running services export. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findPort, until } from "@stowage/process/testing";
import { callJson, listFolderTreePath } from "../conformance/testing/json-caller.ts";
import { type RunningServices, startServices } from "../end-to-end/testing/running-services.ts";
import { addClient, requestToken } from "../end-to-end/testing/token-calls.ts";
import { root } from "../testing/programs.ts";
import {
  expressionsOfDashboard,
  expressionsOfRules,
  groupingIn,
  usesIn,
} from "./testing/expressions.ts";
import { promtoolMissing } from "./testing/promtool.ts";

/** The labels of each metric. A histogram is there by its suffixes: `_bucket`, `_sum`, `_count`. */
type ExportedMetrics = ReadonlyMap<string, ReadonlySet<string>>;

/** What Prometheus adds to everything that it reads. */
const targetLabels = ["job", "instance"];

const readMonitoring = (name: string) => readFile(join(root, "docs", "monitoring", name), "utf8");

describe("the metrics of the running services", () => {
  let services: RunningServices;
  let texts: string[] = [];
  let exported: ExportedMetrics;

  before(async () => {
    // The services listen on addresses of their own.
    const port = await findPort();
    services = await startServices({
      uploadsServers: 1,
      settings: { METRICS_PORT: `${port}` },
    });
    const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];
    const readAll = () =>
      Promise.all(hosts.map((host) => readText(`http://${host}:${port}/metrics`)));
    const client = await addClient(services);
    await services.start("sync", { HOST: "127.0.0.4", PORT: "0" });
    const pageUrl = await services.start("web", {
      HOST: "127.0.0.5",
      PORT: "0",
      CLIENT_ID: client.clientId,
      CLIENT_SECRET: client.clientSecret,
      SESSION_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    });
    assert.equal((await fetch(new URL("/session", pageUrl))).status, 403);
    const { text: token } = await requestToken(services.authUrl, client);
    const [uploadsUrl = ""] = services.uploadsUrls;
    assert.equal((await callJson(uploadsUrl, { token })).status, 200);
    assert.equal((await callJson(uploadsUrl, { token: "wrong" })).status, 401);
    assert.equal((await callJson(uploadsUrl, { token, path: listFolderTreePath })).status, 200);
    // Calls count when their answers have been taken.
    await until("the calls are counted", async () => {
      texts = await readAll();
      exported = readMetrics(texts);
      return [
        "stowage_call_rows_count",
        "stowage_authorisation_grants_total",
        "stowage_web_requests_total",
      ].every((name) => exported.has(name));
    });
  });
  after(() => services.stop());

  for (const [file, expressionsOf] of [
    ["alerts.yaml", expressionsOfRules],
    ["dashboard.json", expressionsOfDashboard],
  ] as const) {
    it(`contain every metric and label in ${file}`, async () => {
      const expressions = expressionsOf(await readMonitoring(file));
      assert.ok(expressions.size > 10);
      const problems = expressions
        .entries()
        .flatMap(([title, expression]) => problemsOf(expression).map((it) => `${title}: ${it}`));
      assert.deepEqual([...problems], []);
    });
  }

  function problemsOf(expression: string): readonly string[] {
    const uses = usesIn(expression);
    const unknown = uses.filter(({ metric }) => !exported.has(metric));
    const labelsOf = (metric: string) => [...(exported.get(metric) ?? []), ...targetLabels];
    const known = new Set(uses.flatMap(({ metric }) => labelsOf(metric)));
    return [
      ...unknown.map(({ metric }) => `no service exports ${metric}`),
      ...uses.flatMap(({ metric, labels }) =>
        labels
          .filter((label) => !labelsOf(metric).includes(label))
          .map((label) => `${metric} has no label ${label}`),
      ),
      ...(uses.length === 0 ? [] : groupingIn(expression))
        .filter((label) => !known.has(label))
        .map((label) => `nothing has the label ${label}`),
    ];
  }

  it("keep the conventions of Prometheus", { skip: promtoolMissing }, () => {
    for (const input of texts) {
      const { stdout, stderr, status } = spawnSync("promtool", ["check", "metrics"], {
        input,
        encoding: "utf8",
      });
      assert.deepEqual([status, stdout + stderr], [0, ""]);
    }
  });
});

async function readText(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

/** Reads texts, of several programs. Only metrics with values are exported. */
function readMetrics(texts: readonly string[]): ExportedMetrics {
  const found = new Map<string, Set<string>>();
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = found.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}
