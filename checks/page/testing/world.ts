/** The programs behind the page, a bucket that mirrors a directory, and a browser. */
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
import { makeSampleDirectory, sampleFiles } from "./sample-directory.ts";

/** The organisation of the account and of the buckets. */
export const organisationId = "acme";

/** The bucket that mirrors the directory of samples. */
const filesBucket = "files.example";

/** What tests that change nothing for others use. */
export interface OpenWorld extends Pick<PagePrograms, "url" | "person">, AsyncDisposable {
  readonly browser: Browser;
  /** The content of each file of the bucket, by its path below the mirrored directory. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Not through the relay. */
  readonly databaseUrl: string;
  readonly run: RunStowage;
}

export interface World extends OpenWorld, PagePrograms {
  /** How all programs reach the database. */
  readonly database: DatabaseRelay;
}

/** Starts everything. Dispose of it at the end. `makeFiles` fills the mirrored directory. */
export async function startWorld(
  settings: ProgramSettings = {},
  makeFiles: (directory: string, browser: Browser) => Promise<World["files"]> = makeSampleDirectory,
): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const browser = await startChromium();
  stack.defer(() => browser.close());
  const world = stack.use(
    await startPrograms(settings, (directory) => makeFiles(directory, browser)),
  );
  const opened = stack.move();
  return { ...world, browser, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The environment in which `openWorld` of another process uses the same programs. */
export function sharing({ url, person, databaseUrl }: Omit<OpenWorld, "browser">): {
  readonly TEST_PAGE_WORLD: string;
} {
  return { TEST_PAGE_WORLD: JSON.stringify({ url, person, databaseUrl }) };
}

/** The programs that `npm test` started for all test files, or new ones, with a new browser. */
export async function openWorld(): Promise<OpenWorld> {
  const { TEST_PAGE_WORLD } = process.env;
  if (!TEST_PAGE_WORLD) return await startWorld();
  const shared: Pick<OpenWorld, "url" | "person" | "databaseUrl"> = JSON.parse(TEST_PAGE_WORLD);
  const browser = await startChromium();
  const files = await sampleFiles();
  const run = stowageOn(shared.databaseUrl);
  return { ...shared, browser, files, run, [Symbol.asyncDispose]: () => browser.close() };
}

/** Starts everything but a browser. Dispose of it at the end. */
export async function startPrograms(
  settings: ProgramSettings = {},
  makeFiles: (directory: string) => Promise<World["files"]> = makeSampleDirectory,
): Promise<Omit<World, "browser">> {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const { databaseUrl, drop } = await createTestDatabase();
  stack.defer(drop);
  const database = await relayDatabase(databaseUrl);
  stack.defer(() => database.cut());
  const run = stowageOn(databaseUrl);

  const directory = join(folder.path, "files");
  await mkdir(directory);
  const files = await makeFiles(directory);
  const [programs] = await Promise.all([
    startPagePrograms(
      { databaseUrl: database.databaseUrl, organisationId, folder: folder.path, run, settings },
      stack,
    ),
    mirror(run, directory),
  ]);
  const opened = stack.move();
  return {
    ...programs,
    files,
    databaseUrl,
    database,
    run,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function mirror(run: RunStowage, directory: string): Promise<void> {
  const place = ["--bucket", filesBucket, "--organisation", organisationId, "--primary"];
  await run(["sources", "add", "dir", directory, "--name", "files", ...place, "--sync"]);
}
