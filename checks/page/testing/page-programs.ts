/** The programs behind the page, as processes: both services and the page's server. */
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { findPort } from "@stowage/process/testing";
import {
  type Environment,
  type RunStowage,
  type Service,
  startService,
} from "../../testing/programs.ts";

export interface Person {
  readonly loginName: string;
  readonly password: string;
}

export interface PagePrograms {
  /** The page's address. */
  readonly url: string;
  readonly person: Person;
  readonly authorisation: Restartable;
  readonly uploads: Restartable;
  readonly web: Restartable;
}

interface ProgramOptions {
  /** How the programs reach the database. */
  readonly databaseUrl: string;
  /** Of the account. */
  readonly organisationId: string;
  /** A folder for their files. */
  readonly folder: string;
  readonly run: RunStowage;
  /** Settings that differ from the defaults. */
  readonly settings?: ProgramSettings;
}

export interface ProgramSettings {
  readonly web?: Environment;
  readonly authorisation?: Environment;
  readonly uploads?: Environment;
  /** Whether content has an origin of its own: that of the uploads service. */
  readonly hasContentOrigin?: boolean;
}

type Name = Parameters<typeof startService>[0];

/** Starts everything, with one account. The stack stops it. */
export async function startPagePrograms(
  { databaseUrl, organisationId, folder, run, settings = {} }: ProgramOptions,
  stack: AsyncDisposableStack,
): Promise<PagePrograms> {
  const common = {
    HOST: "127.0.0.1",
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, "data"),
    LOG_LEVEL: "warn",
  };
  const startOne = async (name: Name, own: Environment) => {
    const service = await restartable(name, { ...common, ...own });
    stack.defer(() => service.stop());
    return service;
  };
  const [authPort, uploadsPort, webPort] = [await findPort(), await findPort(), await findPort()];
  const AUTH_URL = `http://127.0.0.1:${authPort}`;
  const url = `http://127.0.0.1:${webPort}`;
  const authorisation = await startOne("authorisation", {
    PORT: `${authPort}`,
    KEY_ENCRYPTION_KEY: newKey(),
    ...settings.authorisation,
  });
  const [uploads, client, person] = await Promise.all([
    startOne("uploads", { PORT: `${uploadsPort}`, AUTH_URL, ...settings.uploads }),
    addPageClient(run, organisationId, url),
    addPerson(run, organisationId, "ada@example.com", "Ada"),
  ]);
  const web = await startOne("web", {
    PORT: `${webPort}`,
    PAGE_URL: url,
    AUTH_URL,
    BASE_URL: uploads.url,
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.clientSecret,
    SESSION_ENCRYPTION_KEY: newKey(),
    ...(settings.hasContentOrigin && { CONTENT_ORIGIN: uploads.url }),
    ...settings.web,
  });
  return { url, person, authorisation, uploads, web };
}

function newKey(): string {
  return randomBytes(32).toString("base64");
}

interface Restartable {
  readonly url: string;
  /** The processes that answer. */
  workerIds(): Promise<number[]>;
  stop(): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
}

async function restartable(name: Name, settings: Environment): Promise<Restartable> {
  const first = await startService(name, settings);
  let service: Service | undefined = first;
  return {
    url: first.url,
    async workerIds() {
      return (await service?.workerIds()) ?? [];
    },
    async stop() {
      await service?.stop();
      service = undefined;
    },
    async start() {
      service ??= await startService(name, settings);
    },
  };
}

async function addPageClient(
  run: RunStowage,
  organisationId: string,
  url: string,
): Promise<{ clientId: string; clientSecret: string }> {
  const uris = [
    "--redirect-uri",
    `${url}/signed-in`,
    "--post-logout-redirect-uri",
    `${url}/`,
    "--back-channel-logout-uri",
    `${url}/back-channel-logout`,
  ];
  const about = ["--organisation", organisationId, "--name", "Stowage", "--first-party"];
  return JSON.parse(await run(["clients", "add", ...about, ...uris, "--json"]));
}

/** Adds an account. */
export async function addPerson(
  run: RunStowage,
  organisationId: string,
  loginName: string,
  name?: string,
): Promise<Person> {
  const password = randomUUID();
  const names = ["--login-name", loginName, ...(name === undefined ? [] : ["--name", name])];
  const rest = ["--organisation", organisationId, "--password-file", "-"];
  await run(["accounts", "add", ...names, ...rest], password);
  return { loginName, password };
}
