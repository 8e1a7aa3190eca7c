import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

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
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
