/** A browser, the programs behind the page, and a bucket that mirrors a directory. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  createTestDatabase,
  type DatabaseRelay,
  makeTemporaryFolder,
  relayDatabase,
  startChromium,
} from "@stowage/process/testing";
import type { Browser } from "playwright-core";
import { type RunStowage, stowageOn } from "../../testing/programs.ts";
import { type PagePrograms, type ProgramSettings, startPagePrograms } from "./page-programs.ts";
import { makeSampleDirectory } from "./sample-directory.ts";

/** The organisation of the account and of the buckets. */
export const organisationId = "acme";

/** The bucket that mirrors the directory of samples. */
const filesBucket = "files.example";

export interface World extends PagePrograms, AsyncDisposable {
  readonly browser: Browser;
  /** The content of each file of the bucket, by its path below the mirrored directory. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Not through the relay. */
  readonly databaseUrl: string;
  /** How all programs reach the database. */
  readonly database: DatabaseRelay;
  readonly run: RunStowage;
}

/** Starts everything. Dispose of it at the end. */
export async function startWorld(settings: ProgramSettings = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const browser = await startChromium();
  stack.defer(() => browser.close());
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const { databaseUrl, drop } = await createTestDatabase();
  stack.defer(drop);
  const database = await relayDatabase(databaseUrl);
  stack.defer(() => database.cut());
  const run = stowageOn(databaseUrl);

  const directory = join(folder.path, "files");
  await mkdir(directory);
  const files = await makeSampleDirectory(directory);
  const [programs] = await Promise.all([
    startPagePrograms(
      { databaseUrl: database.databaseUrl, organisationId, folder: folder.path, run, settings },
      stack,
    ),
    mirror(run, directory),
  ]);
  const opened = stack.move();
  return {
    ...{ ...programs, browser, files, databaseUrl, database, run },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function mirror(run: RunStowage, directory: string): Promise<void> {
  const place = ["--bucket", filesBucket, "--organisation", organisationId, "--primary"];
  await run(["sources", "add", "dir", directory, "--name", "files", ...place, "--sync"]);
}
