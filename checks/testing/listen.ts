import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

const open = new Set<Server>();
process.on("exit", () => {
  if (open.size === 0) return;
  process.stderr.write(`Leaked ${open.size} listening servers\n`);
  process.exitCode = 1;
});

export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  /** Also cuts every open connection. */
  close(): Promise<void>;
}

/** Listens on a port of 127.0.0.1 that the system chooses, or on the one given. */
export async function listen(server: Server, wantedPort = 0): Promise<ListeningServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(wantedPort, "127.0.0.1");
  await once(server, "listening");
  open.add(server);
  // A test that forgets to close it is to fail, not to hang.
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
