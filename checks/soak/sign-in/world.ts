/** The authorisation service on a PostgreSQL of its own, behind a network that can be disturbed. */
import { randomBytes, randomUUID } from "node:crypto";
import {
  type DatabaseRelay,
  relayDatabase,
  startTestServer,
  withClient,
} from "@stowage/process/testing";
import { type Environment, startService, stowageOn } from "../../testing/programs.ts";

export interface Person {
  readonly loginName: string;
  readonly password: string;
}

export interface World {
  readonly authUrl: string;
  /** The network between the service and its database. */
  readonly relay: DatabaseRelay;
  /** The database, not through the relay. */
  readonly databaseUrl: string;
  /** A public client. */
  readonly clientId: string;
  readonly people: readonly Person[];
  /** Adds a client that is a program, and returns `ID:secret`. */
  addProgram(): Promise<string>;
  /** What the service has logged. */
  log(): string;
  close(): Promise<void>;
}

export const callback = "https://page.example/callback";
const organisation = "acme";

export async function startWorld(
  peopleCount: number,
  environment: Environment = {},
): Promise<World> {
  // As on a real server: what was removed makes room for what comes.
  const server = await startTestServer({ settings: { autovacuum: "on" } });
  const relay = await relayDatabase(server.databaseUrl);
  const closers = [() => server.stop(), () => relay.cut()];
  const close = async () => {
    for (const closer of closers.toReversed()) await closer();
  };
  const run = stowageOn(server.databaseUrl);
  try {
    const service = await startService("authorisation", {
      PORT: "0",
      LOG_LEVEL: "warn",
      CLIENT_REQUESTS_PER_MINUTE_MAX: "0",
      DATABASE_URL: relay.databaseUrl,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      ...environment,
    });
    closers.push(() => service.stop());
    const client = ["--organisation", organisation, "--name", "Page", "--public"];
    const added = await run(["clients", "add", ...client, "--redirect-uri", callback, "--json"]);
    const password = randomUUID();
    const account = ["--organisation", organisation, "--login-name", loginNameOf(0)];
    await run(["accounts", "add", ...account, "--name", "Ada", "--password-file", "-"], password);
    await copyAccount(server.databaseUrl, peopleCount);
    return {
      authUrl: service.url,
      relay,
      databaseUrl: server.databaseUrl,
      clientId: (JSON.parse(added) as { clientId: string }).clientId,
      people: Array.from({ length: peopleCount }, (_, n) => ({
        loginName: loginNameOf(n),
        password,
      })),
      async addProgram() {
        const added = await run(["clients", "add", "--organisation", organisation, "--json"]);
        const { clientId, clientSecret } = JSON.parse(added) as Record<string, string>;
        return `${clientId}:${clientSecret}`;
      },
      log: service.log,
      async close() {
        await relay.mend();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function loginNameOf(number: number): string {
  return `person-${number}@example.com`;
}

/** Adding each account by a command would take seconds. */
async function copyAccount(databaseUrl: string, count: number): Promise<void> {
  await withClient(databaseUrl, (client) =>
    client.query(
      `insert into auth.accounts (account_id, organisation_id, login_name, name, password_hash)
       select gen_random_uuid(), organisation_id, 'person-' || n || '@example.com', name,
         password_hash
       from auth.accounts, generate_series(1, ${count - 1}) as n`,
    ),
  );
}
