/** The ports and addresses of servers. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { isWorker } from "../workers/worker-process.ts";
import { type AddressLimit, countConnections } from "./address-connections.ts";
import { cannotListen, HttpServer, startListening } from "./http-server.ts";

interface HeldPort {
  readonly port: number;
  /** Call this when a worker listens, or when none will. */
  release(): Promise<void>;
}

/**
 * A port that is free, for the workers of this program. If it is 0, a free one is chosen, and kept
 * from other programs until it is released. If two programs start in the same second with the same
 * port, the workers of both may share it: then end both.
 */
export async function holdPort({ host, port }: { host: string; port: number }): Promise<HeldPort> {
  const server = createServer();
  try {
    const options = { host, port, exclusive: true, reusePort: port === 0 };
    const found = await startListening(server, options);
    if (port !== 0) await close(server);
    return { port: found, release: () => close(server) };
  } catch (cause) {
    throw cannotListen({ host, port }, cause);
  }
}

async function close(server: Server): Promise<void> {
  if (server.listening) await once(server.close(), "close");
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
  server.timeout = idleTimeoutMs;
  const isAllowed = countConnections(server, address);
  server.on("connection", (socket: Socket) => {
    if (!isAllowed(socket)) socket.destroy();
  });
  const listening = { host, port, isShared: isWorker(), connectionsMax };
  return { server, port: await server.listenOn(listening) };
}

/** The address at which programs on the same machine reach a service that listens on `host`. */
export function reachableUrl(host: string, port: number): string {
  const loopback: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const name = loopback[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Where a service listens, and for which address of its callers, if that is another one. */
export function addressText(host: string, port: number, publicUrl: string): string {
  const own = reachableUrl(host, port);
  return own === publicUrl ? own : `${own} for ${publicUrl}`;
}
