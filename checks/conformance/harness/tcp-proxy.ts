/** A way to a server that a test can cut and mend, as networks do by themselves. */
import { connect, createServer, type Socket } from "node:net";
import { type ListeningServer, listen } from "./listen.ts";

export interface TcpProxy {
  readonly port: number;
  /** Takes everything, and brings nothing back any more, until it is cut. */
  stall(): void;
  /** Cuts what is open and refuses what is new. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const outgoing = new Set<Socket>();
  let isStalled = false;
  const proxy = () => proxyTo(target, outgoing, () => isStalled);
  const serve = (port?: number) => listen(proxy(), port);
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
      for (const socket of outgoing) socket.unpipe().pause();
    },
    cut: close,
    close,
    async mend() {
      isStalled = false;
      server ??= await serve(port);
    },
  };
}

function proxyTo(
  { host, port }: { host: string; port: number },
  open: Set<Socket>,
  isStalled: () => boolean,
) {
  return createServer((incoming) => {
    const outgoing = connect(port, host);
    open.add(outgoing);
    outgoing.once("close", () => open.delete(outgoing));
    join(incoming, outgoing);
    join(outgoing, incoming);
    if (isStalled()) outgoing.unpipe().pause();
  });
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}
