/** `stowage whoami`: shows whose token the other commands use. */
import { printable } from "@stowage/process/usage";
import { Command } from "commander";
import { type Access, type ConnectionOptions, chooseAccess } from "../access/choose-access.ts";
import { addConnectionOptions, connectionHelp } from "../access/connection.ts";
import { write } from "../command-line.ts";

interface WhoamiOptions extends ConnectionOptions {
  readonly json?: true;
}

const help = `${connectionHelp}
Example:
  stowage whoami --json | jq -r .organisation
`;

/** The command, for `main.ts`. */
export function whoamiCommand(): Command {
  const command = new Command("whoami")
    .description("Shows who you are to the services: whose token the other commands use.")
    .option("--json", "print one JSON object");
  return addConnectionOptions(command).addHelpText("after", help).action(showCaller);
}

async function showCaller(options: WhoamiOptions): Promise<void> {
  const caller = callerOf(await chooseAccess(options));
  if (options.json) return write(`${JSON.stringify(caller)}\n`);
  const lines = Object.entries({ ...caller, expiresAt: expiryText(caller) })
    .map(([label, value]) => [labels[label as keyof typeof caller], [value].flat().join(" ")])
    .filter(([, text]) => text !== "")
    .map(([label = "", text = ""]) => `${label.padEnd(13)} ${printable(text)}\n`);
  await write(lines.join(""));
}

/** A member is empty if the token or the login does not say it. */
interface Caller {
  readonly subject: string;
  readonly name: string;
  readonly loginName: string;
  readonly organisation: string;
  readonly client: string;
  readonly scopes: readonly string[];
  /** RFC 3339. The other commands renew the token of a login when it expires. */
  readonly expiresAt: string;
  readonly issuer: string;
  readonly baseUrl: string;
  readonly source: string;
}

const labels = {
  subject: "subject",
  name: "name",
  loginName: "login name",
  organisation: "organisation",
  client: "client",
  scopes: "scopes",
  expiresAt: "token until",
  issuer: "issuer",
  baseUrl: "service",
  source: "token from",
} satisfies Record<keyof Caller, string>;

const sources = { given: "--token or STOWAGE_TOKEN", login: "stowage login" };

function callerOf({ accessToken, login, baseUrl, source }: Access): Caller {
  const claims = claimsOf(accessToken);
  const textOf = (claim: unknown) => (typeof claim === "string" ? claim : "");
  return {
    subject: textOf(claims.sub),
    name: login?.name ?? "",
    loginName: login?.loginName ?? "",
    organisation: textOf(claims["urn:svc:auth:organisation_id"]),
    client: textOf(claims.client_id),
    scopes: textOf(claims.scope).match(/[^ ]+/g) ?? [],
    expiresAt: typeof claims.exp === "number" ? timeText(claims.exp) : "",
    issuer: textOf(claims.iss),
    baseUrl,
    source: source === "local-client" ? "the client of npm start" : sources[source],
  };
}

/** A token that was given may have expired: nobody renews it. */
function expiryText({ expiresAt }: Caller): string {
  const hasExpired = expiresAt !== "" && Date.parse(expiresAt) <= Date.now();
  return hasExpired ? `${expiresAt}: it has expired` : expiresAt;
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000", "");
}

/** Not verified: this only shows what the services verify. */
function claimsOf(accessToken: string): Record<string, unknown> {
  try {
    const [, payload = ""] = accessToken.split(".");
    return Object(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  } catch {
    throw new Error("Cannot read the access token: got no JSON Web Token, need one");
  }
}
