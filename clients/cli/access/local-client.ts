/**
 * The client that `npm start` makes for its user, and the addresses of the services it started
 * last. Other commands use both by default.
 */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readSecretMembers, writeSecretFile } from "./secret-file.ts";

export interface LocalClient {
  readonly baseUrl: string;
  readonly pageUrl: string;
  readonly authUrl: string;
  readonly organisationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const dataDirDefault = "./data";

/** The folder for everything that `npm start` makes. */
export function dataDirOf(environment: NodeJS.ProcessEnv): string {
  return resolve(environment.DATA_DIR || dataDirDefault);
}

/** Reads the client; undefined if none was made yet. Throws if its file is damaged. */
export async function readLocalClient(dataDir: string): Promise<LocalClient | undefined> {
  return await readSecretMembers(
    fileIn(dataDir),
    ["baseUrl", "pageUrl", "authUrl", "organisationId", "clientId", "clientSecret"],
    "remove it, and npm start makes another client",
  );
}

/** When `npm start` last stored the client, in milliseconds; undefined if it never did. */
export async function localClientStoredAtMs(dataDir: string): Promise<number | undefined> {
  return (await stat(fileIn(dataDir)).catch(() => undefined))?.mtimeMs;
}

/** Stores the client in a file that only this user can read. */
export async function writeLocalClient(dataDir: string, client: LocalClient): Promise<void> {
  await writeSecretFile(fileIn(dataDir), `${JSON.stringify(client, null, 2)}\n`);
}

function fileIn(dataDir: string): string {
  return join(dataDir, "local-client.json");
}
