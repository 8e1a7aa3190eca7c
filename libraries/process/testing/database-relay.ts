/** A TCP relay to a database, with which a test can simulate network failures. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";
import { setTimeout } from "node:timers/promises";

export interface DatabaseRelay {
  /** The same database, through the relay. */
  readonly databaseUrl: string;
  readonly connections: number;
  /** Accepts connections and data, but delivers nothing to the client until `mend`. */
  stall(): void;
  /**
   * Delivers nothing on the connections that exist now, in either direction and without an error,
   * until `mend`. New connections work.
   */
  freeze(): void;
  /** Delivers everything later by this time, until `mend`. */
  delay(timeMs: number): void;
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
  const pairs = new Set<Pair>();
  let isStalled = false;
  let delayMs = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    const pair = { near, far, toServer: new Gate(), toClient: new Gate() };
    if (isStalled) pair.toClient.close();
    pairs.add(pair);
    for (const [from, to, gate] of [
      [near, far, pair.toServer],
      [far, near, pair.toClient],
    ] as const) {
      // A broken connection is what this is for; its other half must break with it.
      from.on("error", () => to.destroy());
      from.on("close", () => {
        pairs.delete(pair);
        to.destroy();
      });
      from.pipe(transformBy(async () => await gate.pass(delayMs))).pipe(to);
    }
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
      for (const { toClient } of pairs) toClient.close();
    },
    freeze() {
      for (const { toServer, toClient } of pairs) {
        toServer.close();
        toClient.close();
      }
    },
    delay(timeMs) {
      delayMs = timeMs;
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
      isStalled = false;
      delayMs = 0;
      for (const { toServer, toClient } of pairs) {
        toServer.open();
        toClient.open();
      }
      if (!server.listening) await listen(port);
    },
  };
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  readonly toServer: Gate;
  readonly toClient: Gate;
}

/** One direction of a connection. */
class Gate {
  #opened: PromiseWithResolvers<void> | undefined;

  close(): void {
    this.#opened ??= Promise.withResolvers();
  }

  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  async pass(delayMs: number): Promise<void> {
    if (delayMs > 0) await setTimeout(delayMs);
    await this.#opened?.promise;
  }
}

/** Passes each chunk on when it may pass. */
function transformBy(mayPass: () => Promise<void>): Transform {
  return new Transform({
    transform(chunk, _, done) {
      void mayPass().then(() => done(null, chunk));
    },
    // The end of a stream is held like data.
    flush(done) {
      void mayPass().then(() => done());
    },
  });
}
