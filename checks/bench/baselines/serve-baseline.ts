/** A baseline: a server in a process of its own, on the same database as the service. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger, openPool } from "@stowage/process";
import type pg from "pg";
import { runWorker } from "../programs/worker-process.ts";

/** The only command of a baseline. It reports the port on which it listens. */
export interface BaselineCommand {
  readonly databaseUrl: string;
  readonly connectionsMax: number;
}

/** Settings of the connections, as the service has them: a statement is planned once. */
const serverSettings = {
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  max_parallel_workers_per_gather: "0",
};

export function serveBaseline(name: string, listenerOf: (pool: pg.Pool) => RequestListener): void {
  runWorker(async ({ databaseUrl, connectionsMax }: BaselineCommand) => {
    const logger = createLogger({ name, level: "warn" });
    const applicationName = name;
    const connections = { databaseUrl, connectionsMax, applicationName, serverSettings };
    const pool = openPool({ ...connections, logger });
    const server = createServer({ keepAlive: true, noDelay: true }, listenerOf(pool));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  });
}
