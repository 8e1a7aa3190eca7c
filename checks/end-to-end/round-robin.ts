/** One address for several processes of a service, as a load balancer makes it. */
import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

export interface RoundRobin {
  /** Of the processes behind it. */
  readonly hosts: readonly string[];
  /** That it listens on, and they do. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Hands requests on to the given hosts in turn, on the port that it listens on itself: each host is
 * an address of this machine, so that the port is free there.
 */
export async function startRoundRobin(hosts: readonly string[]): Promise<RoundRobin> {
  let turn = 0;
  const server = createServer((request, response) => {
    const host = hosts[turn++ % hosts.length];
    const { method, url: path, headers } = request;
    // A connection each: one that was kept might be closed at the moment in which it is used.
    const onward = forward({ host, port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    hosts,
    port,
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
