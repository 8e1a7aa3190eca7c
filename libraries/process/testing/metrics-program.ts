/** A program with metrics and, as COUNT says, with workers that count, or die on request. */
import { createServer } from "node:http";
import { Counter } from "@prometheus-io/client";
import { createLogger } from "../logger.ts";
import { openMetrics } from "../metrics/open-metrics.ts";
import { runProgram } from "../program/program.ts";
import { isWorker, reportReady } from "../workers/worker-process.ts";
import { superviseWorkers } from "../workers/workers.ts";
import { findPort } from "./listen.ts";

const { COUNT = "0", METRICS_PORT, PORT = "0" } = process.env;
const host = "127.0.0.1";

await runProgram("try", async ({ signal }) => {
  const logger = createLogger({ name: "try" });
  const metricsPort = METRICS_PORT === undefined ? undefined : Number(METRICS_PORT);
  const metrics = await openMetrics({ host, metricsPort, logger });
  const port = isWorker() ? Number(PORT) : await findPort();
  const onReady = () => process.stdout.write(`ready ${port}\n`);
  if (!isWorker() && COUNT !== "0") {
    const environment = { PORT: `${port}` };
    const count = Number(COUNT);
    await superviseWorkers({ count, environment, signal, stopTimeoutMs: 1000, logger, onReady });
    await metrics.close();
    return;
  }
  const counter = new Counter({
    name: "stowage_answers_total",
    help: "Answers.",
    registers: [metrics.registry],
  });
  const server = createServer((request, response) => {
    if (request.url === "/kill") process.kill(process.pid, "SIGKILL");
    counter.inc();
    response.setHeader("connection", "close");
    response.end(`${process.pid}`);
  });
  await new Promise<void>((resolve) => {
    server.listen({ host, port, reusePort: true }, resolve);
  });
  if (isWorker()) reportReady(`${port}`);
  else onReady();
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  server.close();
  await metrics.close();
});
