/** The process of the load generator. */
import { setTimeout } from "node:timers/promises";
import { inLoops } from "../testing/load.ts";
import { Connection } from "./connection.ts";
import type { LoadCommand, LoadReport } from "./load-generator.ts";
import { runWorker } from "./worker-process.ts";

runWorker(async (command: LoadCommand): Promise<LoadReport> => {
  const { port, milliseconds } = command;
  // A buffer from another process may arrive as a plain array of bytes.
  const requests = command.requests.map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  const opening = Array.from({ length: command.connections }, () => Connection.open(port));
  const connections = await Promise.all(opening);
  const idle = [...connections];
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const sent = Promise.withResolvers<void>();
  const send = async (number: number, sentMs: number) => {
    if (number === requests.length - 1 && milliseconds === undefined) sent.resolve();
    if (number >= requests.length && milliseconds === undefined) return;
    const connection = idle.pop()!;
    await connection.send(requests[number % requests.length]!);
    latenciesMs.push(performance.now() - sentMs);
    idle.push(connection);
  };
  const load = inLoops(connections.length, (number, sentMs) =>
    send(number, sentMs).catch((error: unknown) => {
      sent.reject(error);
      throw error;
    }),
  );
  try {
    const isOver = milliseconds === undefined ? [] : [setTimeout(milliseconds)];
    await Promise.race([sent.promise, ...isOver]);
    await load.stop();
  } finally {
    for (const connection of connections) connection.close();
  }
  return { tookMs: performance.now() - startMs, latenciesMs: Float64Array.from(latenciesMs) };
});
