/** The ports, addresses and orderly end of servers. */
import { once } from "node:events";
import { createServer as createHttpServer, type Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { isWorker } from "./worker-process.ts";

/**
 * A port that can be listened on: the given one, or a free one for port 0. Rejects, as listening
 * does, when the port is in use. Workers check this first: they share their port, and would share
 * it without notice with another program of the same user.
 */
export async function findPort({ host, port }: { host: string; port: number }): Promise<number> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, "listening");
  const found = (server.address() as AddressInfo).port;
  server.close();
  await once(server, "close");
  return found;
}

interface HeldPort {
  readonly port: number;
  /** Call this when a worker listens. */
  release(): Promise<void>;
}

/**
 * A port for workers. If the port is 0, a free one is chosen and held until a worker listens on it:
 * otherwise the system could give it to another program meanwhile.
 */
export async function holdPort({ host, port }: { host: string; port: number }): Promise<HeldPort> {
  try {
    if (port !== 0) return { port: await findPort({ host, port }), release: async () => {} };
    const server = createServer().listen({ host, port, reusePort: true });
    await once(server, "listening");
    return {
      port: (server.address() as AddressInfo).port,
      release: async () => void (await once(server.close(), "close")),
    };
  } catch (cause) {
    throw new Error(`Cannot listen on ${host} port ${port}`, { cause });
  }
}

/** The longest time until a request has arrived. */
const requestTimeoutMs = 30_000;

/**
 * Listens for HTTP/1.1; port 0 lets the system choose one. Workers share their port. Returns the
 * server and its port.
 */
export async function listenHttp(options: {
  host: string;
  port: number;
  keepAliveTimeoutMs: number;
}): Promise<{ server: Server; port: number }> {
  const { host, port, keepAliveTimeoutMs } = options;
  const server = createHttpServer({
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new Error(`Cannot listen on ${host} port ${port}`, { cause })),
    );
    server.listen({ host, port, reusePort: isWorker() }, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** The address at which programs on the same machine reach a service that listens on `host`. */
export function reachableUrl(host: string, port: number): string {
  const loopback: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const name = loopback[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** How often a closing server closes the connections that have become idle. */
const sweepMs = 50;

/**
 * Closes a server gracefully: it takes no new connections, closes idle ones, and lets running
 * requests finish. After `graceMs` it calls `destroyConnections`, which must destroy all that are
 * still open. Resolves when none is open.
 */
export async function closeServer(
  server: Server,
  graceMs: number,
  destroyConnections: () => void = () => server.closeAllConnections(),
): Promise<void> {
  const cutOff = setTimeout(destroyConnections, graceMs);
  // `close` closes only what is idle now. A client may keep its connection open after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  clearTimeout(cutOff);
}
