/** Does what a load order says. Anything but answers of status 200 ends it with an error. */
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "./connection.ts";
import type {
  AnyLoadOrder,
  ClosedLoopOrder,
  EachOrder,
  LoadReport,
  RepeatOrder,
} from "./load-orders.ts";

export function runLoad(order: AnyLoadOrder): Promise<LoadReport> {
  switch (order.kind) {
    case "closed loop":
      return runClosedLoop(order);
    case "each":
      return runEach(order);
    case "repeat":
      return runRepeat(order);
  }
}

async function runClosedLoop(order: ClosedLoopOrder): Promise<LoadReport> {
  const { port, connections: width, milliseconds } = order;
  const requests = order.requests.map(asBuffer);
  using stack = new DisposableStack();
  const connections = await Promise.all(Array.from({ length: width }, () => Connection.open(port)));
  for (const connection of connections) stack.use(connection);

  const tally = new Tally();
  let next = 0;
  const caller = async (connection: Connection) => {
    do {
      await tally.ask(connection, requests[next++ % requests.length]!);
    } while (tally.elapsedMs() < milliseconds);
  };
  await Promise.all(connections.map(caller));
  return tally.report();
}

async function runEach({ port, requests }: EachOrder): Promise<LoadReport> {
  using connection = await Connection.open(port);
  const tally = new Tally();
  for (const request of requests) await tally.ask(connection, asBuffer(request));
  return tally.report();
}

async function runRepeat({ port, requests, milliseconds }: RepeatOrder): Promise<LoadReport> {
  const tally = new Tally();
  const isOver = sleep(milliseconds, true);
  for (;;) {
    using connection = await Connection.open(port);
    const answered = tally.ask(connection, asBuffer(requests[0]!)).then(() => false);
    if (await Promise.race([isOver, answered])) return tally.report();
  }
}

class Tally {
  readonly #startMs = performance.now();
  readonly #latenciesMs: number[] = [];
  readonly #firstByteMs: number[] = [];
  #bodyBytes = 0;

  elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  async ask(connection: Connection, request: Buffer): Promise<void> {
    const startMs = performance.now();
    let firstByteMs = 0;
    const { status, bodyBytes } = await connection.ask(request, () => {
      firstByteMs = performance.now() - startMs;
    });
    if (status !== 200) throw new Error(`Cannot measure: got an answer of status ${status}`);
    this.#latenciesMs.push(performance.now() - startMs);
    this.#firstByteMs.push(firstByteMs);
    this.#bodyBytes += bodyBytes;
  }

  report(): LoadReport {
    return {
      tookMs: this.elapsedMs(),
      latenciesMs: Float64Array.from(this.#latenciesMs),
      firstByteMs: Float64Array.from(this.#firstByteMs),
      bodyBytes: this.#bodyBytes,
    };
  }
}

/** What comes from another process may be a plain array of bytes. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
