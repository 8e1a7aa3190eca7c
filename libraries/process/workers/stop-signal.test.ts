import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startNode } from "../testing/index.ts";
import { Stopped, untilDrained } from "./stop-signal.ts";

const program = `
  import { Registry } from "@prometheus-io/client";
  import { createHealthHandler, createLogger, runProgram, untilDrained } from "@stowage/process";
  await runProgram("try", async ({ signal }) => {
    const [logger, registry] = [createLogger({ name: "x" }), new Registry()];
    const health = createHealthHandler({ checks: {}, signal, logger, registry });
    setInterval(() => undefined, 1000);
    signal.addEventListener("abort", () => console.log("stopping"));
    console.log("serving");
    await untilDrained(signal, Number(process.env.DRAIN_MS));
    let status;
    const response = { writeHead: (given) => { status = given; }, end() {} };
    health({ method: "GET", url: "/readyz" }, response);
    console.log("drained, readiness " + status);
  });`;

function start(drainMs: number) {
  return startNode(["--input-type=module-typescript", "--eval", program], {
    cwd: import.meta.dirname,
    env: { DRAIN_MS: `${drainMs}` },
  });
}

const hourMs = 3_600_000;

describe("untilDrained()", () => {
  it("waits for the drain time after SIGTERM", async () => {
    const program = start(300);
    await program.line(/serving/);
    const startMs = performance.now();
    program.kill("SIGTERM");
    const { exitCode, stdout } = await program.ended;
    assert.deepEqual([exitCode, stdout], [0, "serving\nstopping\ndrained, readiness 503\n"]);
    assert.ok(performance.now() - startMs >= 300);
  });

  for (const signal of ["SIGINT", "SIGHUP"] as const) {
    it(`does not wait after ${signal}`, async () => {
      const program = start(hourMs);
      await program.line(/serving/);
      program.kill(signal);
      assert.equal((await program.ended).exitCode, 0);
    });
  }

  it("does not wait if it was stopped before it was ready", async () => {
    await untilDrained(AbortSignal.abort(new Stopped("SIGTERM")), hourMs);
  });

  it("ends at once when another signal follows", async () => {
    const program = start(hourMs);
    await program.line(/serving/);
    program.kill("SIGTERM");
    await program.line(/stopping/);
    program.kill("SIGINT");
    assert.equal((await program.ended).exitCode, 130);
  });
});
