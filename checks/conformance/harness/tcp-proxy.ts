/** A way to a server that a test can cut and mend, as networks do by themselves. */
import { connect, createServer, type Socket } from "node:net";
import { type ListeningServer, listen } from "./listen.ts";

export interface TcpProxy {
  readonly port: number;
  /** Cuts what is open and refuses what is new. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let server: ListeningServer | undefined = await listen(proxyTo(target));
  const { port } = server;
  const close = async () => {
    await server?.close();
    server = undefined;
  };
  return {
    port,
    cut: close,
    close,
    async mend() {
      server ??= await listen(proxyTo(target), port);
    },
  };
}

function proxyTo({ host, port }: { host: string; port: number }) {
  return createServer((incoming) => {
    const outgoing = connect(port, host);
    pipe(incoming, outgoing);
    pipe(outgoing, incoming);
  });
}

function pipe(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}
