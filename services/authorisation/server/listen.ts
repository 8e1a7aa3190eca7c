/** Starts to listen, and stops without cutting off requests that are being answered. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Longest time a request may take to arrive whole. */
const requestTimeoutMs = 30_000;

/** How often connections that have become idle are closed, once the service is to stop. */
const sweepMs = 50;

/** How long requests that are being answered may take to end, once the service is to stop. */
const stopGraceMs = 10_000;

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

/** Takes no more connections, and waits until the open ones have ended. */
export async function stop(server: Server): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), stopGraceMs);
  // `close` closes what is idle now; a client may keep the others open long after their answer.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  clearTimeout(cutOff);
}
