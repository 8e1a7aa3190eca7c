import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Longest time a request may take to arrive whole. */
const requestTimeoutMs = 30_000;

/** Listens; `port` 0 lets the system choose. Gives the server and the port it has got. */
export async function listen(
  host: string,
  port: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer({ requestTimeout: requestTimeoutMs });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new Error(`Cannot listen on ${host} port ${port}`, { cause })),
    );
    server.listen({ host, port }, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}
