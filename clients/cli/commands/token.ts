/** `stowage token`: prints an access token and nothing else. */
import { readFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { chooseAccess } from "../access/choose-access.ts";
import { dataDirOf, readLocalClient } from "../access/local-client.ts";
import { requestToken } from "../access/request-token.ts";
import { parseUrl } from "../arguments.ts";
import { write } from "../command-line.ts";

interface TokenOptions {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly scope?: string;
  readonly resource?: string;
  readonly authUrl?: string;
}

const help = `
The secret is read from --client-secret-file or from STOWAGE_CLIENT_SECRET, since others can see the
command line in the list of processes. Without a client, --scope and --resource, the token is the
one that ls and tree use: that of your login (stowage login), or else one for the client that npm
start made, whose credentials are in DATA_DIR (default: ./data). With --auth-url or AUTH_URL, only a
login at that issuer counts.

Example:
  STOWAGE_CLIENT_SECRET=… stowage token --client-id 0d5ba6f5-3c1e-4f0e-9f0e-2f6f8a1c7b11
`;

/** The command, for `main.ts`. */
export function tokenCommand(): Command {
  return new Command("token")
    .description("Prints an access token: a new one for a client, or that of your login.")
    .addOption(new Option("--client-id <id>", "the client").env("STOWAGE_CLIENT_ID"))
    .option("--client-secret-file <file>", "file with its secret; - is stdin")
    .option(
      "--scope <scope>",
      "scopes, separated by spaces (default: all that the client may have)",
    )
    .option("--resource <uri>", "service that the token is for (default: the issuer's choice)")
    .addOption(
      new Option(
        "--auth-url <url>",
        "the issuer, exactly (default: that of the login, or the one started last)",
      )
        .env("AUTH_URL")
        .argParser(parseUrl),
    )
    .addOption(
      new Option("--base-url <url>", "service of your login (default: the last one)")
        .env("BASE_URL")
        .argParser(parseUrl),
    )
    .addHelpText("after", help)
    .action(printToken);
}

async function printToken(options: TokenOptions): Promise<void> {
  const { scope, resource } = options;
  if (!needsClient(options)) {
    const { accessToken } = await chooseAccess(options);
    await write(`${accessToken}\n`);
    return;
  }
  const local = await readLocalClient(dataDirOf(process.env));
  const authUrl = options.authUrl ?? local?.authUrl ?? authUrlDefault;
  // Never send the secret of the local issuer to another one.
  const own = authUrl === local?.authUrl ? local : undefined;
  if (options.clientId === undefined && options.clientSecretFile !== undefined) {
    throw new Error("Cannot get a token: got a secret without --client-id, need both");
  }
  const client = options.clientId === undefined ? own : await clientOf(options.clientId, options);
  if (client === undefined) {
    throw new Error("Cannot get a token: give --client-id and its secret, or run npm start once");
  }
  const { clientId, clientSecret } = client;
  const request = { authUrl, clientId, clientSecret, scope, resource };
  const issued = await requestToken(request, "--auth-url");
  await write(`${issued.accessToken}\n`);
}

/** A login has the scopes and the service that it was given. The addresses only choose one. */
function needsClient({ clientId, clientSecretFile, scope, resource }: TokenOptions): boolean {
  return [clientId, clientSecretFile, scope, resource].some((each) => each !== undefined);
}

const authUrlDefault = "http://127.0.0.1:8081";

async function clientOf(clientId: string, { clientSecretFile }: TokenOptions) {
  const secret =
    clientSecretFile === undefined
      ? process.env.STOWAGE_CLIENT_SECRET
      : await readSecret(clientSecretFile);
  if (!secret) {
    throw new Error(
      `Cannot get a token for client ${clientId}: need its secret in --client-secret-file or ` +
        "STOWAGE_CLIENT_SECRET",
    );
  }
  return { clientId, clientSecret: secret };
}

async function readSecret(file: string): Promise<string> {
  try {
    const text = await readFile(file === "-" ? "/dev/stdin" : file, "utf8");
    return text.replace(/\r?\n$/, "");
  } catch (cause) {
    throw new Error("Cannot read the client secret", { cause });
  }
}
