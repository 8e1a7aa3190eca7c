import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { findPort, type StartedProcess, startNode } from "../testing/index.ts";

const path = fileURLToPath(new URL("../testing/metrics-program.ts", import.meta.url));
const host = "127.0.0.1";

interface Running {
  readonly program: StartedProcess;
  readonly metricsPort: number;
  /** Sends a request to the program and returns the ID of the process that answered. */
  ask(what?: string): Promise<number>;
  /** The values of all metrics, by name and labels. */
  metrics(): Promise<Map<string, number>>;
}

const started: StartedProcess[] = [];
after(() => {
  for (const program of started) program.kill("SIGKILL");
});

async function start(workers: number): Promise<Running> {
  const metricsPort = await findPort();
  const env = { COUNT: `${workers}`, METRICS_PORT: `${metricsPort}`, LOG_LEVEL: "fatal" };
  const program = startNode([path], { env });
  started.push(program);
  const port = (await program.line(/^ready /)).slice("ready ".length);
  return {
    program,
    metricsPort,
    async ask(what = "/") {
      const response = await fetch(`http://${host}:${port}${what}`);
      return Number(await response.text());
    },
    async metrics() {
      const response = await fetch(`http://${host}:${metricsPort}/metrics`);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
      return valuesOf(await response.text());
    },
  };
}

function valuesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("openMetrics()", () => {
  it("serves the metrics of a program without workers", async () => {
    const running = await start(0);
    await running.ask();
    await running.ask();
    const metrics = await running.metrics();
    assert.equal(metrics.get("stowage_answers_total"), 2);
    assert.ok((metrics.get('process_cpu_seconds_total{process="primary"}') ?? 0) > 0);
    assert.ok((metrics.get('process_resident_memory_bytes{process="primary"}') ?? 0) > 1e6);
    assert.ok((metrics.get('process_open_fds{process="primary"}') ?? 0) > 2);
    running.program.kill("SIGTERM");
    assert.equal((await running.program.ended).exitCode, 0);
  });

  it("adds up the metrics of workers", async () => {
    const running = await start(2);
    const answered = new Set<number>();
    let answers = 0;
    await until(async () => {
      answered.add(await running.ask());
      answers += 1;
      return answered.size === 2;
    });
    const metrics = await running.metrics();
    assert.equal(metrics.get("stowage_answers_total"), answers);
    assert.equal(metrics.get("stowage_workers"), 2);
    assert.ok((metrics.get('process_resident_memory_bytes{process="worker"}') ?? 0) > 1e6);
    assert.ok(metrics.has('stowage_event_loop_delay_seconds_count{process="worker"}'));
    running.program.kill("SIGTERM");
    await running.program.ended;
  });

  it("counts workers that have ended, and adds up the others", async () => {
    const running = await start(1);
    await assert.rejects(running.ask("/kill"));
    await until(async () => (await running.ask().catch(() => 0)) > 0);
    const metrics = await running.metrics();
    assert.equal(metrics.get("stowage_answers_total"), 1);
    assert.equal(metrics.get("stowage_workers"), 1);
    assert.equal(metrics.get("stowage_worker_exits_total"), 1);
    running.program.kill("SIGTERM");
    await running.program.ended;
  });

  it("answers nothing but GET /metrics", async () => {
    const { metricsPort, program } = await start(0);
    const root = `http://${host}:${metricsPort}`;
    assert.equal((await fetch(`${root}/`)).status, 404);
    assert.equal((await fetch(`${root}/healthz`)).status, 404);
    const posted = await fetch(`${root}/metrics`, { method: "POST" });
    assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET"]);
    program.kill("SIGTERM");
    await program.ended;
  });

  it("answers many scrapers at once, beside one that sends nothing", async () => {
    const { metricsPort, metrics, program } = await start(0);
    const silent = connect(metricsPort, host);
    await once(silent, "connect");
    const all = await Promise.all(Array.from({ length: 20 }, metrics));
    const answers = all.map((values) => values.get("stowage_answers_total"));
    assert.deepEqual(new Set(answers), new Set([0]));
    silent.destroy();
    program.kill("SIGTERM");
    await program.ended;
  });

  it("refuses to start on a port in use", async () => {
    const { metricsPort, program } = await start(0);
    const second = startNode([path], { env: { METRICS_PORT: `${metricsPort}` } });
    const { exitCode, stderr } = await second.ended;
    assert.equal(exitCode, 1);
    const said = `Cannot listen on ${host} port ${metricsPort} \\(METRICS_PORT\\): .*EADDRINUSE`;
    assert.match(stderr, new RegExp(said));
    program.kill("SIGTERM");
    await program.ended;
  });
});
