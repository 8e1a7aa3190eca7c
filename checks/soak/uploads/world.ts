/** The uploads service on a PostgreSQL of its own, both of which can be made to fail. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type DatabaseRelay,
  faultsOfServer,
  makeTemporaryFolder,
  relayDatabase,
  type ServerFaults,
  startTestServer,
} from "@stowage/process/testing";
import type { Line } from "../../conformance/model/records.ts";
import { audience, type Issuer, startIssuer } from "../../testing/issuer.ts";
import { type Environment, type Service, start, startService } from "../../testing/programs.ts";

/** Whose PostgreSQL the service uses: one that the operator runs, or its embedded one. */
type DatabaseKind = "external" | "embedded";

export interface World {
  readonly service: Service;
  readonly issuer: Issuer;
  /** The database, not through the relay. */
  readonly databaseUrl: string;
  /** The network between the service and an external database; the embedded one has none. */
  readonly relay: DatabaseRelay | undefined;
  readonly server: ServerFaults;
  /** Starts an external server after a crash. The service starts the embedded one by itself. */
  readonly restartServer: (() => Promise<void>) | undefined;
  /** Imports lines over the same network as the service; true if that succeeded. */
  load(lines: readonly Line[]): Promise<boolean>;
  /** Runs a command of the authorisation service on the same database. */
  runCommand(...parameters: string[]): Promise<boolean>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly kind: DatabaseKind;
  readonly lines: readonly Line[];
  readonly environment?: Environment;
  /** Where an external server keeps its files. Default: in a temporary folder. */
  readonly folder?: string;
  /** Options of the connections to an external database, as command-line options of the server. */
  readonly databaseOptions?: string;
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const database = await (options.kind === "external" ? startExternal(options) : startEmbedded());
  const issuer = await startIssuer();
  const closers = [() => issuer.close(), () => database.close()];
  const close = async () => {
    for (const closer of closers) await closer();
  };
  const run = async (command: readonly string[], input?: string) => {
    const settings = { ...database.environment, LOG_LEVEL: "warn" };
    return await start(command, settings, input).ended;
  };
  const load = async (lines: readonly Line[]) => {
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    return await run(["services/uploads/commands/import.ts", "ndjson", "-"], input);
  };
  try {
    const { exitCode, stderr } = await load(options.lines);
    assert.equal(exitCode, 0, stderr);
    const service = await startService("uploads", {
      PORT: "0",
      AUTH_URL: issuer.url,
      AUDIENCE: audience,
      LOG_LEVEL: "warn",
      DATABASE_CONNECTIONS_MAX: "8",
      ...database.environment,
      ...options.environment,
    });
    closers.unshift(() => service.stop());
    return {
      ...database,
      service,
      issuer,
      databaseUrl: await database.findUrl(),
      load: async (lines) => (await load(lines)).exitCode === 0,
      runCommand: async (...parameters) =>
        (await run(["clients/cli/main.ts", ...parameters])).exitCode === 0,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Database extends Pick<World, "relay" | "server" | "restartServer" | "close"> {
  /** The settings by which programs find it. */
  readonly environment: Environment;
  /** Its address, once a program has started it. */
  findUrl(): Promise<string>;
}

async function startExternal(options: WorldOptions): Promise<Database> {
  const { folder, databaseOptions } = options;
  const server = await startTestServer(folder === undefined ? {} : { folder });
  const relay = await relayDatabase(server.databaseUrl);
  const address = new URL(relay.databaseUrl);
  if (databaseOptions !== undefined) address.searchParams.set("options", databaseOptions);
  return {
    relay,
    server,
    environment: { DATABASE_URL: address.href },
    findUrl: async () => server.databaseUrl,
    restartServer: server.restart,
    async close() {
      await server.resume();
      await relay.cut();
      await server.stop();
    },
  };
}

async function startEmbedded(): Promise<Database> {
  const folder = await makeTemporaryFolder();
  const home = join(folder.path, "data", "postgres");
  const server = faultsOfServer(join(home, "cluster"));
  return {
    relay: undefined,
    server,
    environment: { DATA_DIR: join(folder.path, "data") },
    async findUrl() {
      return `postgresql://stowage@${encodeURIComponent(join(home, "cluster"))}/stowage`;
    },
    restartServer: undefined,
    async close() {
      await server.resume();
      await folder.remove();
    },
  };
}
