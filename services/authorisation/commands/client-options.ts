/** The options of a client: what it may be, and which options exclude each other. */
import { randomUUID } from "node:crypto";
import { type Command, InvalidArgumentError } from "commander";
import {
  isLogoutUri,
  isPrivateUse,
  isRedirectUri,
  logoutUriNeed,
  redirectUriNeed,
} from "../model/client-uris.ts";
import { deviceCodeGrantType } from "../model/grant-types.ts";
import type { ClientRecord } from "../store/clients.ts";
import { parseUuid } from "./arguments.ts";
import { addTenantOptions, scopesDefault, type TenantOptions } from "./tenant-options.ts";

/** The values of the options that a client is added with and that can be changed. */
export interface ChangeableOptions {
  name?: string;
  scope?: string[];
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  backChannelLogoutUri?: string;
  firstParty?: boolean;
  anyOrganisation?: boolean;
  json?: true;
}

/** The values of the options of `clients add`. */
export interface ClientOptions extends TenantOptions, ChangeableOptions {
  grant?: string[];
  public?: true;
  native?: true;
  clientId?: string;
  clientSecretFile?: string;
  publicKeyFile?: string;
}

/** The grant types of a client: their names on the command line, and in OAuth. */
const grantTypes = {
  "client-credentials": "client_credentials",
  "authorization-code": "authorization_code",
  "device-code": deviceCodeGrantType,
  "refresh-token": "refresh_token",
} as const;

const withRedirect: readonly string[] = ["authorization_code", "refresh_token"];
const forPeople: readonly string[] = [...withRedirect, deviceCodeGrantType];

const urisMax = 32;

const help = `
A client without --redirect-uri acts for itself (client-credentials). With one it acts for people
(authorization-code, refresh-token), who sign in and are then redirected there. --public is for a
page that runs in a browser, --native for a program on people's devices: neither can keep a secret.
With --grant device-code, people sign in by a code that the program shows them.
With --public-key-file the program keeps a private key, and signs an assertion for each request
(private_key_jwt): iss and sub are the client ID, aud is AUTH_URL, jti is new each time, and exp at
most 300 s away.

Examples:
  stowage clients add --organisation acme --name "nightly report"
  stowage clients add --organisation acme --name "the page" --public \\
    --redirect-uri https://app.example.com/callback`;

/** Adds the options of `clients add` to a command. */
export function addClientOptions(command: Command): Command {
  addTenantOptions(command)
    .option("--public", "it has no secret: a page")
    .option("--native", "it has no secret: a program on people's devices")
    .option(
      "--grant <type>",
      `grant type it may use, repeatable: ${Object.keys(grantTypes).join(", ")}`,
      collectGrantType,
    )
    .option("--client-id <uuid>", "its identifier (default: a new one)", parseUuid)
    .option("--client-secret-file <file>", "file that contains its secret (default: a new secret)")
    .option("--public-key-file <file>", "file that contains its public key, as PEM: no secret");
  return addChangeableOptions(command).addHelpText("after", help);
}

/** Adds the options that `clients update` has too, but for name and scopes. */
export function addChangeableOptions(command: Command): Command {
  return command
    .option("--redirect-uri <uri>", "where people are redirected, repeatable", collectRedirectUri)
    .option(
      "--post-logout-redirect-uri <uri>",
      "where people may be redirected after a logout, repeatable",
      collectRedirectUri,
    )
    .option(
      "--back-channel-logout-uri <uri>",
      "where the service tells it that a session has ended",
      parseLogoutUri,
    )
    .option("--first-party", "people are not asked for their consent: it is your own")
    .option("--any-organisation", "people of every organisation may use it")
    .option("--json", "print one JSON object");
}

/** The client that the options describe. */
export function clientOf(options: ClientOptions): ClientRecord {
  const redirectUris = options.redirectUri ?? [];
  const grantTypesDefault = redirectUris.length > 0 ? withRedirect : ["client_credentials"];
  return {
    clientId: options.clientId ?? randomUUID(),
    organisationId: options.organisation,
    applicationId: options.application ?? randomUUID(),
    name: options.name ?? "",
    scopes: options.scope ?? scopesDefault,
    grantTypes: options.grant ?? [...grantTypesDefault],
    redirectUris,
    postLogoutRedirectUris: options.postLogoutRedirectUri ?? [],
    backChannelLogoutUri: options.backChannelLogoutUri ?? null,
    isNative: options.native === true,
    isFirstParty: options.firstParty === true,
    isForAnyOrganisation: options.anyOrganisation === true,
  };
}

/** Says which options contradict each other; undefined if none do. */
export function contradictionOf(
  client: ClientRecord,
  given: Pick<ClientOptions, "public" | "clientSecretFile" | "publicKeyFile">,
): string | undefined {
  const { grantTypes: grants, redirectUris, isNative, isFirstParty, isForAnyOrganisation } = client;
  const { public: isPage, clientSecretFile, publicKeyFile } = given;
  const isPublic = isPage === true || isNative;
  const redirects = grants.includes("authorization_code");
  const asksPeople = redirects || grants.includes(deviceCodeGrantType);
  const contradictions = {
    "--redirect-uri and --grant authorization-code go together":
      redirects !== redirectUris.length > 0,
    "--grant refresh-token needs --grant authorization-code or device-code":
      grants.includes("refresh_token") && !asksPeople,
    "a client without a secret acts for people: it needs --redirect-uri or --grant device-code":
      isPublic && grants.some((type) => !forPeople.includes(type)),
    "a --redirect-uri with a scheme of its own goes with --native only":
      !isNative && redirectUris.some(isPrivateUse),
    "a client with --public or --native has no secret": isPublic && clientSecretFile !== undefined,
    "--public-key-file does not go with a secret, --public or --native":
      publicKeyFile !== undefined && (isPublic || clientSecretFile !== undefined),
    "--first-party does not go with --native: anybody can imitate a program on a device":
      isNative && isFirstParty,
    "--first-party and --any-organisation go with --redirect-uri or --grant device-code":
      !asksPeople && (isFirstParty || isForAnyOrganisation),
  };
  return Object.entries(contradictions).find(([, isPresent]) => isPresent)?.[0];
}

function collectGrantType(text: string, earlier: readonly string[] = []): string[] {
  if (!Object.hasOwn(grantTypes, text)) {
    throw new InvalidArgumentError(`Need one of ${Object.keys(grantTypes).join(", ")}.`);
  }
  return [...new Set([...earlier, grantTypes[text as keyof typeof grantTypes]])];
}

function collectRedirectUri(text: string, earlier: readonly string[] = []): string[] {
  if (!isRedirectUri(text)) throw new InvalidArgumentError(`Need ${redirectUriNeed}.`);
  const uris = [...new Set([...earlier, text])];
  if (uris.length > urisMax) throw new InvalidArgumentError(`Need at most ${urisMax}.`);
  return uris;
}

function parseLogoutUri(text: string): string {
  if (!isLogoutUri(text)) throw new InvalidArgumentError(`Need ${logoutUriNeed}.`);
  return text;
}
