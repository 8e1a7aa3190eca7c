/** The ports and addresses of servers. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { isWorker } from "../workers/worker-process.ts";
import { type AddressLimit, countConnections } from "./address-connections.ts";
import { cannotListen, HttpServer, startListening } from "./http-server.ts";

/**
 * A port that can be listened on: the given one, or a free one for port 0. Rejects, as listening
 * does, when the port is in use. Workers check this first: they share their port, and would share
 * it without notice with another program of the same user.
 */
export async function findPort({ host, port }: { host: string; port: number }): Promise<number> {
  const server = createServer();
  const found = await startListening(server, { host, port, exclusive: true });
  await close(server);
  return found;
}

/** Dispose of it when all workers have ended. */
interface HeldPort extends AsyncDisposable {
  readonly port: number;
  /** Call this when a worker listens. */
  share(): Promise<void>;
}

/**
 * A port for the workers of this program alone. If the port is 0, a free one is chosen, and kept
 * from other programs until a worker listens on it.
 *
 * While no worker listens, as at the start or after a crash, the system would give the port to
 * another start of this program, and the workers of both would share it. So this also listens on an
 * abstract Unix socket named after the address, until all workers have ended.
 */
export async function holdPort({ host, port }: { host: string; port: number }): Promise<HeldPort> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true, reusePort: port === 0 });
    await once(server, "listening");
    const found = server.address() as AddressInfo;
    if (port !== 0) await close(server);
    const name = await holdName(found);
    return {
      port: found.port,
      share: () => close(server),
      async [Symbol.asyncDispose]() {
        await close(server);
        await close(name);
      },
    };
  } catch (cause) {
    await close(server);
    throw cannotListen({ host, port }, cause);
  }
}

async function holdName({ address, port }: AddressInfo): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(
    `\0stowage-port-${address}-${port}`,
  );
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`listen EADDRINUSE: address already in use ${address}:${port}`);
  }
  return server;
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
