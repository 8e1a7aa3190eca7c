/** A TCP relay to a database, with which a test can simulate network failures. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface DatabaseRelay {
  /** The same database, through the relay. */
  readonly databaseUrl: string;
  readonly connections: number;
  /** Accepts connections and data, but delivers nothing until `mend`. */
  stall(): void;
  /** Breaks every connection (RST), and accepts new ones. */
  reset(): void;
  /** Closes every connection, and refuses new ones until `mend`. */
  cut(): Promise<void>;
  /** Delivers the held data, and accepts new connections. */
  mend(): Promise<void>;
}

/** Starts a relay. Call `cut` at the end. */
export async function relayDatabase(databaseUrl: string): Promise<DatabaseRelay> {
  const target = new URL(databaseUrl);
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let isStalled = false;
  const server = createServer((near) => {
    const pair = { near, far: connect(Number(target.port || 5432), target.hostname) };
    pairs.add(pair);
    for (const [from, to] of [
      [near, pair.far],
      [pair.far, near],
    ] as const) {
      // A broken connection is what this is for; its other half must break with it.
      from.on("error", () => to.destroy());
      from.on("close", () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
    near.pipe(pair.far);
    if (!isStalled) pair.far.pipe(near);
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    databaseUrl: url.href,
    get connections() {
      return pairs.size;
    },
    stall() {
      isStalled = true;
      for (const { far } of pairs) far.unpipe().pause();
    },
    reset() {
      for (const { near, far } of pairs) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
    },
    async cut() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const { near } of pairs) near.destroy();
      await closed;
    },
    async mend() {
      if (isStalled) for (const { near, far } of pairs) far.pipe(near);
      isStalled = false;
      if (!server.listening) await listen(port);
    },
  };
}
