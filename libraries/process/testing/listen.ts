import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const open = new Set<Server>();
process.on("exit", () => {
  if (open.size === 0) return;
  process.stderr.write(`Leaked ${open.size} listening servers\n`);
  process.exitCode = 1;
});

export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  /** Also closes every open connection. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1: on the given port, or on a free one. */
export async function listen(server: Server, wantedPort = 0): Promise<ListeningServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(wantedPort, "127.0.0.1");
  await once(server, "listening");
  open.add(server);
  // A test that does not close the server fails at exit instead of hanging.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      open.delete(server);
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A port that is free. */
export async function findPort(): Promise<number> {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}
