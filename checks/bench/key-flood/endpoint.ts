/** The issuer's key set endpoint, in a process of its own: it takes no time from the validator. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { runWorker } from "../programs/worker-process.ts";

export interface EndpointCommand {
  /** `up`: answers with the keys. `failing`: answers 503. `hanging`: never answers. */
  readonly behaviour: "up" | "failing" | "hanging";
  readonly keys: readonly object[];
}

export interface EndpointReport {
  readonly port: number;
  /** The times of all fetches so far, in milliseconds. */
  readonly fetchTimesMs: readonly number[];
}

let command: EndpointCommand = { behaviour: "failing", keys: [] };
const fetchTimesMs: number[] = [];

const server = createServer((_request, response) => {
  fetchTimesMs.push(performance.now());
  if (command.behaviour === "failing") response.writeHead(503).end();
  if (command.behaviour !== "up") return;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ keys: command.keys }));
}).listen(0, "127.0.0.1");
const listening = once(server, "listening");

runWorker(async (received: EndpointCommand): Promise<EndpointReport> => {
  command = received;
  await listening;
  return { port: (server.address() as AddressInfo).port, fetchTimesMs };
});
