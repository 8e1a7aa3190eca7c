/** A browser, and all programs behind the page as processes, with a directory as the bucket. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findPort } from "@stowage/process";
import {
  createTestDatabase,
  type DatabaseRelay,
  makeTemporaryFolder,
  relayDatabase,
  startChromium,
} from "@stowage/process/testing";
import type { Browser } from "playwright-core";
import { type Environment, type Service, start, startService } from "../../testing/programs.ts";
import { makeSampleDirectory } from "./sample-directory.ts";

/** The organisation of the account and of the buckets. */
const organisationId = "acme";

/** The bucket that mirrors the directory of samples. */
const filesBucket = "files.example";

interface Person {
  readonly loginName: string;
  readonly password: string;
  readonly name: string;
}

export interface World extends AsyncDisposable {
  readonly browser: Browser;
  /** The page's address. */
  readonly url: string;
  readonly authUrl: string;
  readonly person: Person;
  /** The content of each file of the bucket, by its path below the mirrored directory. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Not through the relay. */
  readonly databaseUrl: string;
  /** How all programs reach the database. */
  readonly database: DatabaseRelay;
  readonly uploads: Restartable;
  readonly web: Restartable;
  /** Runs `stowage` and returns its output. Fails unless it ends well. */
  run(command: readonly string[], input?: string): Promise<string>;
}

interface Restartable {
  readonly url: string;
  /** The processes that answer. */
  workerIds(): Promise<number[]>;
  log(): string;
  stop(): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
}

interface WorldOptions {
  /** Settings of the page's server that differ from the defaults. */
  readonly web?: Environment;
  /** Settings of the authorisation service that differ from the defaults. */
  readonly authorisation?: Environment;
}

/** Starts everything. Dispose of it at the end. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const browser = await startChromium();
  stack.defer(() => browser.close());
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const { databaseUrl, drop } = await createTestDatabase();
  stack.defer(drop);
  const database = await relayDatabase(databaseUrl);
  stack.defer(() => database.cut());
  const directory = join(folder.path, "files");
  await mkdir(directory);
  const files = await makeSampleDirectory(directory);

  const newKey = () => randomBytes(32).toString("base64");
  const environment = {
    DATABASE_URL: database.databaseUrl,
    DATA_DIR: join(folder.path, "data"),
    KEY_ENCRYPTION_KEY: newKey(),
    LOG_LEVEL: "warn",
  };
  const run: World["run"] = (command, input) =>
    runStowage(command, { ...environment, DATABASE_URL: databaseUrl }, input);
  const startOne = async (name: Parameters<typeof startService>[0], settings: Environment) => {
    const service = await restartable(name, { HOST: "127.0.0.1", ...environment, ...settings });
    stack.defer(() => service.stop());
    return service;
  };
  const [authPort, webPort] = [await freePort(), await freePort()];
  const authUrl = `http://127.0.0.1:${authPort}`;
  const url = `http://127.0.0.1:${webPort}`;
  // The first program makes the schemas: several at once would wait for each other.
  await startOne("authorisation", { PORT: `${authPort}`, ...options.authorisation });
  const [uploads, client, person] = await Promise.all([
    startOne("uploads", { PORT: `${await freePort()}`, AUTH_URL: authUrl }),
    addPageClient(run, url),
    addPerson(run, folder.path),
    mirror(run, directory),
  ]);
  const web = await startOne("web", {
    PORT: `${webPort}`,
    PAGE_URL: url,
    AUTH_URL: authUrl,
    BASE_URL: uploads.url,
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.clientSecret,
    SESSION_ENCRYPTION_KEY: newKey(),
    ...options.web,
  });
  const opened = stack.move();
  return {
    ...{ browser, url, authUrl, person, files, databaseUrl, database, uploads, web, run },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function freePort(): Promise<number> {
  return findPort({ host: "127.0.0.1", port: 0 });
}

async function restartable(
  name: Parameters<typeof startService>[0],
  settings: Environment,
): Promise<Restartable> {
  const first = await startService(name, settings);
  let service: Service | undefined = first;
  const running = (): Service => {
    if (service === undefined) throw new Error(`${name} is stopped`);
    return service;
  };
  return {
    url: first.url,
    workerIds: () => running().workerIds(),
    log: () => running().log(),
    async stop() {
      await service?.stop();
      service = undefined;
    },
    async start() {
      service ??= await startService(name, settings);
    },
  };
}

async function runStowage(
  command: readonly string[],
  environment: Environment,
  input?: string,
): Promise<string> {
  const program = start(["clients/cli/main.ts", ...command], environment, input);
  const { exitCode, stdout, stderr } = await program.ended;
  assert.equal(exitCode, 0, `stowage ${command.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

async function addPageClient(
  run: World["run"],
  url: string,
): Promise<{ clientId: string; clientSecret: string }> {
  const uris = [
    ...["--redirect-uri", `${url}/signed-in`, "--post-logout-redirect-uri", `${url}/`],
    ...["--back-channel-logout-uri", `${url}/back-channel-logout`],
  ];
  const about = ["--organisation", organisationId, "--name", "Stowage", "--first-party"];
  return JSON.parse(await run(["clients", "add", ...about, ...uris, "--json"]));
}

async function addPerson(run: World["run"], folder: string): Promise<Person> {
  const person = { loginName: "ada@example.com", name: "Ada", password: randomUUID() };
  const file = join(folder, "password");
  await writeFile(file, person.password);
  const names = ["--login-name", person.loginName, "--name", person.name];
  const rest = ["--organisation", organisationId, "--password-file", file];
  await run(["accounts", "add", ...names, ...rest]);
  return person;
}

async function mirror(run: World["run"], directory: string): Promise<void> {
  const place = ["--bucket", filesBucket, "--organisation", organisationId, "--primary"];
  await run(["sources", "add", "dir", directory, "--name", "files", ...place, "--sync"]);
}
