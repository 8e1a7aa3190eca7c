/**
 * The issuer's key set endpoint, in a process of its own, so that it takes no time from the
 * validator.
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { runWorker } from "../programs/worker-process.ts";

/** `up`: answers with the keys. `failing`: answers 503. `hanging`: never answers. */
export type Behaviour = "up" | "failing" | "hanging";

export interface EndpointCommand {
  readonly behaviour: Behaviour;
  readonly keys: readonly object[];
}

export interface EndpointReport {
  readonly port: number;
  /** The times of all fetches so far, in milliseconds. */
  readonly fetchTimesMs: readonly number[];
}

let command: EndpointCommand = { behaviour: "failing", keys: [] };
const fetchTimesMs: number[] = [];

const answers: Record<Behaviour, (response: ServerResponse) => void> = {
  up: (response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: command.keys }));
  },
  failing: (response) => void response.writeHead(503).end(),
  hanging: () => undefined,
};

const server = createServer((request, response) => {
  if (request.url !== "/.well-known/jwks.json") return void response.writeHead(404).end();
  fetchTimesMs.push(performance.now());
  answers[command.behaviour](response);
}).listen(0, "127.0.0.1");
const listening = once(server, "listening");

runWorker(async (received: EndpointCommand): Promise<EndpointReport> => {
  command = received;
  await listening;
  return { port: (server.address() as AddressInfo).port, fetchTimesMs };
});
