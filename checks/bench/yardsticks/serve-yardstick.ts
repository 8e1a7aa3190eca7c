/** A yardstick: a server in a process of its own, on the same database as the service. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger, openPool } from "@stowage/process";
import type pg from "pg";
import { obeyOrders } from "../programs/obey-orders.ts";
import { yardstickSettings } from "./yardstick-settings.ts";

/** The one order that it gets; it answers with the port on which it listens. */
export interface YardstickOrder {
  readonly databaseUrl: string;
  readonly connectionsMax: number;
  readonly bucketId: string;
}

/** @param listen makes what answers, with the pool that the service has. */
export function serveYardstick(
  name: string,
  listen: (pool: pg.Pool, order: YardstickOrder) => RequestListener,
): void {
  obeyOrders(async (order: YardstickOrder) => {
    const { databaseUrl, connectionsMax } = order;
    const logger = createLogger({ name, level: "warn" });
    const pool = openPool({
      databaseUrl,
      connectionsMax,
      applicationName: name,
      logger,
      serverSettings: yardstickSettings,
    });
    const server = createServer({ keepAlive: true, noDelay: true }, listen(pool, order));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  });
}
