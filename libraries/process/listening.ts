/** The ports and addresses of servers. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type AddressLimit, countConnections } from "./address-connections.ts";
import { HttpServer } from "./http-server.ts";
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

interface HttpLimits {
  /** Open connections. Further ones are closed at once. */
  readonly connectionsMax: number;
  /** The time within which a request must arrive: the first one from the connection on. */
  readonly requestTimeoutMs: number;
  /** A connection without traffic is closed after this time, even if a caller does not read. */
  readonly idleTimeoutMs: number;
}

const usualLimits: HttpLimits = {
  connectionsMax: 10_000,
  requestTimeoutMs: 30_000,
  // A handler may work for two minutes before it sends something.
  idleTimeoutMs: 180_000,
};

interface HttpAddress extends AddressLimit {
  readonly host: string;
  readonly port: number;
  readonly keepAliveTimeoutMs: number;
}

/**
 * Listens for HTTP/1.1; port 0 lets the system choose one. Workers share their port. Returns the
 * server and its port.
 */
export async function listenHttp(
  address: HttpAddress,
  limits: Partial<HttpLimits> = {},
): Promise<{ server: HttpServer; port: number }> {
  const { host, port, keepAliveTimeoutMs } = address;
  const { connectionsMax, requestTimeoutMs, idleTimeoutMs } = { ...usualLimits, ...limits };
  const server = new HttpServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    // Node looks only this often for requests that take too long.
    connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 4),
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  server.maxConnections = connectionsMax;
  server.timeout = idleTimeoutMs;
  const isAllowed = countConnections(address);
  server.on("connection", (socket: Socket) => {
    if (!isAllowed(socket)) socket.destroy();
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
