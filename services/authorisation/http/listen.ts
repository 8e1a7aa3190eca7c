import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isWorker } from "@stowage/process";

/** The longest time until a request has arrived. */
const requestTimeoutMs = 30_000;

/** Listens; port 0 lets the system choose one. Returns the server and its port. */
export async function listen(options: {
  host: string;
  port: number;
  keepAliveTimeoutMs: number;
}): Promise<{ server: Server; port: number }> {
  const { host, port, keepAliveTimeoutMs } = options;
  const server = createServer({
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
