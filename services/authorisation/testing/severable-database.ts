/** A database behind a connection that a test can cut and mend. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** The way to the database. */
export interface SeverableDatabase {
  /** Leads to the same database as the one given. */
  databaseUrl: string;
  /** Breaks every connection, and refuses new ones. */
  cut(): Promise<void>;
  /** Lets connections through again. */
  mend(): Promise<void>;
}

/** Puts a relay in front of a database. `cut` it at the end. */
export async function severable(databaseUrl: string): Promise<SeverableDatabase> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      // A broken connection is what this is for; its other half must break with it.
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const { port } = relay.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    databaseUrl: url.href,
    async cut() {
      const closed = once(relay, "close");
      relay.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async mend() {
      relay.listen(port, "127.0.0.1");
      await once(relay, "listening");
    },
  };
}
