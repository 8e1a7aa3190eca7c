/** The OAuth clients of `npm start`: for its user, for the page, and for `stowage login`. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { ClientUnknownError } from "../access/issuer.ts";
import { readLocalClient } from "../access/local-client.ts";
import { requestToken } from "../access/request-token.ts";
import { readSecretMembers, writeSecretFile } from "../access/secret-file.ts";
import { cliClientId, loopbackRedirectUri } from "../sign-in/login-request.ts";
import { commonEnvironment } from "./environment.ts";
import type { ProgramGroup } from "./program-group.ts";

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The client of the user of `npm start`. */
interface OwnClient extends Credentials {
  readonly organisationId: string;
}

/** The client of the page's server. */
interface PageClient extends Credentials {
  /** The page's address that it is registered with. */
  readonly pageUrl: string | undefined;
}

/** The clients of an earlier start if the issuer knows them, and new ones otherwise. */
export async function ensureClients(
  programs: ProgramGroup,
  options: {
    readonly dataDir: string;
    readonly authUrl: string;
    /** Where the page will probably be. */
    readonly pageUrl: string;
  },
): Promise<{ own: OwnClient; page: PageClient }> {
  const { dataDir, authUrl, pageUrl } = options;
  const [own, listed] = await Promise.all([
    ensureOwnClient(programs, dataDir, authUrl),
    listClients(programs),
  ]);
  const { organisationId } = own;
  const [page] = await Promise.all([
    ensurePageClient(programs, listed, { dataDir, organisationId, pageUrl }),
    ensureLoginClient(programs, listed, organisationId),
  ]);
  return { own, page };
}

/** Registers another address of the page, if it is not the one that the client has. */
export async function movePage(
  programs: ProgramGroup,
  { clientId, pageUrl: before }: PageClient,
  pageUrl: string,
): Promise<void> {
  if (pageUrl !== before) await runClients(programs, ["update", clientId, ...urisOf(pageUrl)]);
}

interface ListedClient {
  readonly clientId: string;
  readonly organisationId: string;
  readonly redirectUris: readonly string[];
}

async function listClients(programs: ProgramGroup): Promise<readonly ListedClient[]> {
  return (await runClients(programs, ["list"])) as ListedClient[];
}

async function ensureOwnClient(
  programs: ProgramGroup,
  dataDir: string,
  authUrl: string,
): Promise<OwnClient> {
  const known = await readLocalClient(dataDir);
  if (known === undefined) return await addOwnClient(programs, randomUUID());
  try {
    await requestToken({ ...known, authUrl });
    return known;
  } catch (error) {
    if (!(error instanceof ClientUnknownError)) throw error;
    // The database is another one than last time. The organisation and its buckets stay the same.
    return await addOwnClient(programs, known.organisationId);
  }
}

async function addOwnClient(programs: ProgramGroup, organisationId: string): Promise<OwnClient> {
  const named = ["--organisation", organisationId, "--name", "npm start"];
  return { organisationId, ...(await addClient(programs, named)) };
}

async function ensurePageClient(
  programs: ProgramGroup,
  listed: readonly ListedClient[],
  options: {
    readonly dataDir: string;
    readonly organisationId: string;
    readonly pageUrl: string;
  },
): Promise<PageClient> {
  const { dataDir, organisationId, pageUrl } = options;
  const file = join(dataDir, "page-client.json");
  const members = ["clientId", "clientSecret"] as const;
  const advice = "remove it, and npm start makes another client";
  const known = await readSecretMembers(file, members, advice);
  // If the file of the local client is removed, the next start makes another organisation. The page
  // then needs another client, because the account that signs in is of that organisation too.
  const found = listed.find(
    (client) => client.clientId === known?.clientId && client.organisationId === organisationId,
  );
  if (known !== undefined && found !== undefined) {
    const isThere = found.redirectUris.includes(redirectUriOf(pageUrl));
    return { ...known, pageUrl: isThere ? pageUrl : undefined };
  }
  const named = ["--organisation", organisationId, "--name", "Stowage page", "--first-party"];
  const client = await addClient(programs, [...named, ...urisOf(pageUrl)]);
  await writeSecretFile(file, `${JSON.stringify(client, null, 2)}\n`);
  return { ...client, pageUrl };
}

function urisOf(pageUrl: string): string[] {
  return [
    ...["--redirect-uri", redirectUriOf(pageUrl)],
    ...["--post-logout-redirect-uri", `${pageUrl}/`],
    ...["--back-channel-logout-uri", `${pageUrl}/back-channel-logout`],
  ];
}

function redirectUriOf(pageUrl: string): string {
  return `${pageUrl}/signed-in`;
}

/** The client of `stowage login`, with the same identifier everywhere, so that people need none. */
async function ensureLoginClient(
  programs: ProgramGroup,
  listed: readonly ListedClient[],
  organisationId: string,
): Promise<void> {
  if (listed.some(({ clientId }) => clientId === cliClientId)) return;
  const grants = ["authorization-code", "device-code", "refresh-token"];
  await addClient(programs, [
    ...["--organisation", organisationId, "--name", "Stowage command line", "--native"],
    ...["--any-organisation", "--client-id", cliClientId, "--redirect-uri", loopbackRedirectUri],
    ...grants.flatMap((type) => ["--grant", type]),
  ]);
}

async function addClient(programs: ProgramGroup, options: readonly string[]): Promise<Credentials> {
  const { clientId, clientSecret } = (await runClients(programs, [
    "add",
    ...options,
  ])) as Credentials;
  return { clientId, clientSecret };
}

/** Runs `clients` and returns what it prints. */
async function runClients(
  programs: ProgramGroup,
  [part = "", ...parameters]: readonly string[],
): Promise<unknown> {
  const { exitCode, stdout } = await programs.run(
    "clients",
    [part, ...parameters, "--json"],
    commonEnvironment(process.env),
  );
  if (exitCode !== 0)
    throw new Error(`Cannot ${part} clients: it ended with exit code ${exitCode}`);
  return JSON.parse(stdout);
}
