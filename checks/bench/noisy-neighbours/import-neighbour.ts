/** The neighbour that imports a file into an empty bucket, as people do. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makeTemporaryFolder, startNode } from "@stowage/process/testing";
import type pg from "pg";
import { noSettings, root } from "../../testing/programs.ts";
import { wholeNumber } from "../report/tables.ts";
import type { Neighbour } from "./neighbour.ts";
import { importing, linesOf, removeBucket } from "./tenants.ts";

interface ImportOptions {
  readonly databaseUrl: string;
  readonly client: pg.Client;
  readonly uploads: number;
  readonly stack: AsyncDisposableStack;
  /** Ends an import when the benchmark is to end. */
  readonly signal: AbortSignal;
}

/** Writes the file first, so that the import does nothing but import. */
export async function importNeighbour(options: ImportOptions): Promise<Neighbour> {
  const { databaseUrl, client, uploads, stack, signal } = options;
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const file = join(folder.path, "uploads.ndjson");
  await pipeline(Readable.from(linesOf(importing, uploads)), createWriteStream(file));
  // An earlier run may have been interrupted.
  await removeBucket(client, importing);
  return {
    title: `an import of ${wholeNumber(uploads)} rows`,
    work: "rows imported",
    async start() {
      const importer = startNode(["clients/cli/main.ts", "import", "ndjson", file], {
        cwd: root,
        env: { ...noSettings, DATABASE_URL: databaseUrl },
      });
      const end = () => importer.kill("SIGTERM");
      signal.addEventListener("abort", end, { once: true });
      return {
        async turn() {
          const { exitCode, stderr } = await importer.ended;
          signal.removeEventListener("abort", end);
          signal.throwIfAborted();
          if (exitCode !== 0) throw new Error(`Cannot import: ${stderr}`);
        },
        stop: async () => uploads,
      };
    },
    cleanUp: () => removeBucket(client, importing),
  };
}
