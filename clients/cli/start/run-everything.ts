/** The steps of `npm start`, after its checks. */

import { randomUUID } from "node:crypto";
import { ClientUnknownError } from "../access/issuer.ts";
import { readLocalClient, writeLocalClient } from "../access/local-client.ts";
import { requestToken } from "../access/request-token.ts";
import { cliClientId, loopbackRedirectUri } from "../sign-in/login-request.ts";
import {
  authorisationEnvironment,
  commonEnvironment,
  syncEnvironment,
  uploadsEnvironment,
} from "./environment.ts";
import { type ChosenDirectory, fillIndex } from "./fill-index.ts";
import type { ProgramGroup } from "./program-group.ts";
import { welcomeText } from "./welcome-text.ts";

/** Never resolves: the services run until they are stopped. */
export async function runEverything(options: {
  programs: ProgramGroup;
  directory: ChosenDirectory;
  dataDir: string;
}): Promise<never> {
  const { programs, directory, dataDir } = options;
  const { env } = process;
  // The first service makes the database. The issuer's address is known when it listens.
  const authUrl = await programs.serve("authorisation", authorisationEnvironment(env));
  const [listeningUrl, client] = await Promise.all([
    programs.serve("uploads", uploadsEnvironment(env, authUrl)),
    ensureClient(programs, dataDir, authUrl),
  ]);
  await ensureLoginClient(programs, client.organisationId);
  const baseUrl = (env.BASE_URL || listeningUrl).replace(/\/$/, "");
  await writeLocalClient(dataDir, { ...client, baseUrl, authUrl });

  await fillIndex(programs, directory, client.organisationId);

  const token = await requestToken({ ...client, authUrl });
  const { organisationId } = client;
  process.stdout.write(welcomeText({ baseUrl, token, organisationId, now: new Date() }));
  await programs.serve("sync", syncEnvironment(env), { isQuiet: true });
  return await programs.failed;
}

/** The OAuth client of the user of `npm start`. */
interface OwnClient {
  readonly organisationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The client of an earlier start if the issuer knows it, or else a new one. */
async function ensureClient(
  programs: ProgramGroup,
  dataDir: string,
  authUrl: string,
): Promise<OwnClient> {
  const known = await readLocalClient(dataDir);
  if (known === undefined) return addClient(programs, randomUUID());
  try {
    await requestToken({ ...known, authUrl });
    return known;
  } catch (error) {
    // The database is another one than last time. The organisation and its buckets stay the same.
    if (error instanceof ClientUnknownError) return addClient(programs, known.organisationId);
    throw error;
  }
}

async function addClient(programs: ProgramGroup, organisationId: string): Promise<OwnClient> {
  const { exitCode, stdout } = await programs.run(
    "clients",
    ["add", "--organisation", organisationId, "--name", "npm start", "--json"],
    commonEnvironment(process.env),
  );
  if (exitCode !== 0) throw new Error(`Cannot add a client: clients ended with ${exitCode}`);
  const { clientId, clientSecret } = JSON.parse(stdout) as OwnClient;
  return { organisationId, clientId, clientSecret };
}

/** The client of `stowage login`, with the same identifier everywhere, so that people need none. */
async function ensureLoginClient(programs: ProgramGroup, organisationId: string): Promise<void> {
  const environment = commonEnvironment(process.env);
  const listed = await programs.run("clients", ["list", "--json"], environment);
  const clients = JSON.parse(listed.stdout || "[]") as { clientId: string }[];
  if (clients.some(({ clientId }) => clientId === cliClientId)) return;
  const { exitCode } = await programs.run(
    "clients",
    [
      ...["add", "--organisation", organisationId, "--name", "Stowage command line", "--native"],
      "--any-organisation",
      ...["--client-id", cliClientId, "--redirect-uri", loopbackRedirectUri, "--json"],
      ...["authorization-code", "device-code", "refresh-token"].flatMap((type) => [
        "--grant",
        type,
      ]),
    ],
    environment,
  );
  if (exitCode !== 0) throw new Error(`Cannot add a client: clients ended with ${exitCode}`);
}
