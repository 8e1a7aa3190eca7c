/**
 * The issuer's key set endpoint, in a process of its own, so that it neither takes time from the
 * validator nor gives it any. It ends with its parent.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EndpointOrder, EndpointReport } from "./endpoint-messages.ts";

let order: EndpointOrder = { behaviour: "failing", keys: [] };

const answers: Record<EndpointOrder["behaviour"], (response: ServerResponse) => void> = {
  up: (response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: order.keys }));
  },
  failing: (response) => void response.writeHead(503).end(),
  hanging: () => undefined,
};

const server = createServer((request, response) => {
  if (request.url !== "/.well-known/jwks.json") return void response.writeHead(404).end();
  report({ fetchedAtMs: performance.now() });
  answers[order.behaviour](response);
});

process.on("message", (message: EndpointOrder) => {
  order = message;
  report({ obeyed: true });
});
process.on("disconnect", () => process.exit());
// Ctrl-C reaches the parent too, which ends first and in order.
process.on("SIGINT", () => undefined);
server.listen(0, "127.0.0.1", () => {
  report({ listeningOnPort: (server.address() as AddressInfo).port });
});

function report(message: EndpointReport): void {
  process.send?.(message);
}
