import { Counter, type Registry } from "@prometheus-io/client";
import type { OnRefused } from "../http/address-connections.ts";
import type { Logger } from "../logger.ts";

/** A caller that is refused often would fill the log. */
const logEveryMs = 60_000;

/** Counts the connections that a server refuses, and logs one of them a minute. */
export function watchRefusedConnections(registry: Registry, logger: Logger): OnRefused {
  const refused = new Counter({
    name: "stowage_connections_refused_total",
    help: "Connections that were closed at once, by the limit that they would have exceeded.",
    labelNames: ["limit"],
    registers: [registry],
  });
  for (const limit of ["address", "all"]) refused.inc({ limit }, 0);
  let nextLogMs = 0;
  return (limit, address) => {
    refused.inc({ limit });
    const nowMs = performance.now();
    if (nowMs < nextLogMs) return;
    nextLogMs = nowMs + logEveryMs;
    logger.warn({ limit, address }, messages[limit]);
  };
}

const messages = {
  address: "a connection was refused: its address has ADDRESS_CONNECTIONS_MAX open",
  all: "a connection was refused: too many are open",
};
