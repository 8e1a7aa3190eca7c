/** The process of the load generator. */
import { runWorker } from "../programs/worker-process.ts";
import { Connection } from "./connection.ts";
import type { LoadCommand, LoadReport } from "./load-generator.ts";

runWorker(async (command: LoadCommand): Promise<LoadReport> => {
  const { port, milliseconds } = command;
  // A buffer from another process may arrive as a plain array of bytes.
  const requests = command.requests.map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  const opening = Array.from({ length: command.connections }, () => Connection.open(port));
  const connections = await Promise.all(opening);
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  let sent = 0;
  const isOver = () =>
    milliseconds === undefined
      ? sent >= requests.length
      : performance.now() - startMs >= milliseconds;
  const sendAll = async (connection: Connection) => {
    do {
      const sentMs = performance.now();
      await connection.send(requests[sent++ % requests.length]!);
      latenciesMs.push(performance.now() - sentMs);
    } while (!isOver());
  };
  try {
    await Promise.all(connections.map(sendAll));
  } finally {
    for (const connection of connections) connection.close();
  }
  return { tookMs: performance.now() - startMs, latenciesMs: Float64Array.from(latenciesMs) };
});
