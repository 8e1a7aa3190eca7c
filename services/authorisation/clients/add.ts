/** `clients add`: registers a client and prints its credentials, the only time they can be seen. */
import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { addClient } from "../store/add-client.ts";
import type { WithPool } from "../store/with-pool.ts";
import { parseClientId } from "./arguments.ts";
import { generateClientSecret, hashClientSecret } from "./client-secret.ts";
import { describeClient } from "./describe-client.ts";
import { collectGrantType, grantTypes } from "./grant-types.ts";
import { collectRedirectUri, isPrivateUse, parseLogoutUri } from "./redirect-uri.ts";
import { readSecretFile } from "./secret-file.ts";
import { addTenantOptions, scopesDefault, type TenantOptions } from "./tenant-options.ts";

interface AddOptions extends TenantOptions {
  grant?: string[];
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  backChannelLogoutUri?: string;
  public?: true;
  native?: true;
  clientId?: string;
  clientSecretFile?: string;
  json?: true;
}

const help = `
A client without --redirect-uri acts for itself (client-credentials). With one it acts for people
(authorization-code, refresh-token), who sign in and are sent back there. --public is for a page
that runs in a browser, --native for a program on people's devices: neither can keep a secret.

Examples:
  stowage clients add --organisation acme --name "nightly report"
  stowage clients add --organisation acme --name "the page" --public \\
    --redirect-uri https://files.example.com/callback
`;

/** The command, for `main.ts`. */
export function addCommand(withPool: WithPool): Command {
  const command = addTenantOptions(new Command("add"))
    .description("Registers a client and prints its id and, this once, its secret.")
    .option(
      "--redirect-uri <uri>",
      "where people are sent back to, again for more",
      collectRedirectUri,
    )
    .option("--public", "it has no secret: a page")
    .option("--native", "it has no secret: a program on people's devices")
    .option(
      "--grant <type>",
      `how it may ask, again for more: ${Object.keys(grantTypes).join(", ")}`,
      collectGrantType,
    )
    .option(
      "--post-logout-redirect-uri <uri>",
      "where people may be sent after a logout, again for more",
      collectRedirectUri,
    )
    .option(
      "--back-channel-logout-uri <uri>",
      "where it is told that a session has ended",
      parseLogoutUri,
    )
    .option("--client-id <uuid>", "its identifier (default: a new one)", parseClientId)
    .option("--client-secret-file <file>", "file that holds its secret (default: a new secret)")
    .option("--json", "print one JSON object")
    .addHelpText("after", help);
  return command.action((options: AddOptions) => add(options, withPool, command));
}

async function add(options: AddOptions, withPool: WithPool, command: Command): Promise<void> {
  const client = clientOf(options);
  const isPublic = options.public === true || client.isNative;
  const file = options.clientSecretFile;
  const fault =
    faultOf(client, isPublic) ??
    (isPublic && file !== undefined && "a client with --public or --native has no secret");
  if (fault) command.error(`error: ${fault}`);
  const given = file === undefined ? undefined : await readSecretFile(file);
  const clientSecret = isPublic ? undefined : (given ?? generateClientSecret());
  const secretHash = clientSecret === undefined ? null : await hashClientSecret(clientSecret);
  await withPool((pool) => addClient(pool, { ...client, secretHash }));

  const isShown = given === undefined && clientSecret !== undefined;
  const shown = isShown ? { ...client, clientSecret } : client;
  process.stdout.write(options.json ? `${JSON.stringify(shown)}\n` : describeClient(shown));
}

const forPeople: readonly string[] = [
  grantTypes["authorization-code"],
  grantTypes["refresh-token"],
];

function clientOf(options: AddOptions) {
  const redirectUris = options.redirectUri ?? [];
  return {
    clientId: options.clientId ?? randomUUID(),
    organisationId: options.organisation,
    applicationId: options.application ?? randomUUID(),
    name: options.name ?? "",
    scopes: options.scope ?? scopesDefault,
    grantTypes:
      options.grant ??
      (redirectUris.length > 0 ? [...forPeople] : [grantTypes["client-credentials"]]),
    redirectUris,
    postLogoutRedirectUris: options.postLogoutRedirectUri ?? [],
    backChannelLogoutUri: options.backChannelLogoutUri ?? null,
    isNative: options.native === true,
  };
}

/** What does not go together, if anything. */
function faultOf(
  { grantTypes: grants, redirectUris, isNative }: ReturnType<typeof clientOf>,
  isPublic: boolean,
): string | undefined {
  const asksPeople = grants.includes(grantTypes["authorization-code"]);
  const faults = {
    "--redirect-uri and --grant authorization-code go together":
      asksPeople !== redirectUris.length > 0,
    "--grant refresh-token needs --grant authorization-code":
      grants.includes(grantTypes["refresh-token"]) && !asksPeople,
    "a client without a secret can only act for people: it needs --redirect-uri":
      isPublic && grants.some((type) => !forPeople.includes(type)),
    "a --redirect-uri with a scheme of its own goes with --native only":
      !isNative && redirectUris.some(isPrivateUse),
  };
  return Object.entries(faults).find(([, isPresent]) => isPresent)?.[0];
}
