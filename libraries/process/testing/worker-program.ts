/** A program with workers that answer with their process ID, or die in the way the path names. */
import cluster from "node:cluster";
import { createServer } from "node:http";
import { createLogger } from "../logger.ts";
import { runProgram } from "../program/program.ts";
import { isWorker, reportReady } from "../workers/worker-process.ts";
import { superviseWorkers } from "../workers/workers.ts";
import { findPort } from "./listen.ts";

const { COUNT = "2", WORKERS_END, STOP_TIMEOUT_MS = "60000", IGNORES_STOP } = process.env;
const { RESTART_PAUSE_MS = "100", HANG_TIMEOUT_MS = "10000", PORT } = process.env;

// Before it can answer the first heartbeat.
while (isWorker() && WORKERS_END === "never");

await runProgram("try", async ({ signal }) => {
  if (!isWorker()) {
    const port = await findPort();
    await superviseWorkers({
      count: Number(COUNT),
      environment: { PORT: `${port}` },
      signal,
      stopTimeoutMs: Number(STOP_TIMEOUT_MS),
      restartPauseMs: Number(RESTART_PAUSE_MS),
      hangTimeoutMs: Number(HANG_TIMEOUT_MS),
      logger: createLogger({ name: "try" }),
      onReady: (report) => process.stdout.write(`ready ${report}\n`),
    });
    process.stdout.write("all ended\n");
    return;
  }
  // The workers of the first start have the IDs from 1.
  const isRestart = (cluster.worker?.id ?? 0) > Number(COUNT);
  if (WORKERS_END === "at the start" || (WORKERS_END === "at a restart" && isRestart)) {
    throw new Error("Cannot start: no room");
  }
  const server = createServer((request, response) => {
    if (request.url === "/exit") process.exit(7);
    while (request.url === "/hang");
    if (request.url === "/kill") process.kill(process.pid, "SIGKILL");
    response.setHeader("connection", "close");
    response.end(`${process.pid}`);
  });
  await new Promise<void>((resolve) => {
    server.listen({ host: "127.0.0.1", port: Number(PORT), reusePort: true }, resolve);
  });
  reportReady(`${PORT}`);
  if (WORKERS_END === "when ready") setTimeout(() => process.exit(8), 1);
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
  if (IGNORES_STOP === "yes") await new Promise(() => {});
  server.close();
});
