/** A load balancer: one address for several processes of a service. */
import { createServer, request as forward } from "node:http";
import { type ListeningServer, listen } from "@stowage/process/testing";

interface RoundRobin extends ListeningServer {
  /** The addresses of the processes behind it, which listen on the same port. */
  readonly hosts: readonly string[];
}

/**
 * Forwards requests to the given hosts in turn, on its own port. Each host is another loopback
 * address of this machine, where that port is free.
 */
export async function startRoundRobin(hosts: readonly string[]): Promise<RoundRobin> {
  let turn = 0;
  const server = createServer((request, response) => {
    const host = hosts[turn++ % hosts.length];
    const { method, url: path, headers } = request;
    // Each request has a new connection: the server could close a kept one at the same moment.
    const onward = forward({ host, port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  const listening = await listen(server);
  const { port } = listening;
  return { hosts, ...listening };
}
