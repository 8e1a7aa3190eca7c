/** A way to a server that a test can cut and mend, as networks do by themselves. */
import { connect, createServer, type Socket } from "node:net";
import { type ListeningServer, listen } from "./listen.ts";

export interface TcpProxy {
  readonly port: number;
  /** Takes everything, and brings nothing back any more, until it is mended. */
  stall(): void;
  /** Cuts what is open and refuses what is new. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const answering = new Set<Socket>();
  let isStalled = false;
  const serve = (port?: number) => {
    const server = createServer((incoming) => {
      const outgoing = connect(target.port, target.host);
      answering.add(outgoing);
      outgoing.once("close", () => answering.delete(outgoing));
      join(incoming, outgoing);
      join(outgoing, incoming);
      if (isStalled) outgoing.unpipe().pause();
    });
    return listen(server, port);
  };
  let server: ListeningServer | undefined = await serve();
  const { port } = server;
  const close = async () => {
    await server?.close();
    server = undefined;
  };
  return {
    port,
    stall() {
      isStalled = true;
      for (const socket of answering) socket.unpipe().pause();
    },
    cut: close,
    close,
    async mend() {
      isStalled = false;
      server ??= await serve(port);
    },
  };
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}
