/** `service-accounts add`: makes an account and prints its assertion, the only time it is seen. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { reachableUrl, readSettings } from "@stowage/process";
import { Command } from "commander";
import { addTenantOptions, scopesDefault, type TenantOptions } from "../clients/tenant-options.ts";
import { serviceAccountUrn } from "../provider/service-account.ts";
import { assertionCommandSettings } from "../settings.ts";
import { addServiceAccount } from "../store/service-accounts.ts";
import type { WithPool } from "../store/with-pool.ts";
import { parseDays } from "./arguments.ts";
import { readPublicKey } from "./assertion-key.ts";
import { type DescribedAccount, describeAccount } from "./describe-account.ts";
import { issueAssertion } from "./issue-assertion.ts";

interface AddOptions extends TenantOptions {
  days?: number;
  publicKeyFile?: string;
  json?: true;
}

const daysDefault = 90;
const dayMs = 24 * 3600 * 1000;

const help = `
The assertion is for the service at AUTH_URL (or HOST and PORT). Whoever has it gets tokens of the
account until it expires or the account is revoked:

  curl -d grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer -d assertion=eyJ... AUTH_URL/token

With --public-key-file the program keeps a key of its own, and signs a new assertion for each token:
iss and sub are the account's, aud is AUTH_URL, jti is new each time, exp at most 300 s after iat.
`;

/** The command, for `main.ts`. */
export function addCommand(
  withPool: WithPool,
  environment: Record<string, string | undefined>,
): Command {
  const command = addTenantOptions(new Command("add"))
    .description("Adds an account and prints its id and, this once, its assertion.")
    .option("--days <days>", `how long its assertion is good (default: ${daysDefault})`, parseDays)
    .option(
      "--public-key-file <file>",
      "file with its own public key, as PEM; no assertion is made",
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", help);
  return command.action(async (options: AddOptions) => {
    if (options.days !== undefined && options.publicKeyFile !== undefined) {
      command.error("error: --days goes with an assertion, which --public-key-file leaves out");
    }
    const shown = await add(options, withPool, environment);
    process.stdout.write(options.json ? `${JSON.stringify(shown)}\n` : describeAccount(shown));
  });
}

async function add(
  options: AddOptions,
  withPool: WithPool,
  environment: Record<string, string | undefined>,
): Promise<DescribedAccount> {
  const serviceAccountId = randomUUID();
  const account = {
    serviceAccountId,
    organisationId: options.organisation,
    applicationId: options.application ?? randomUUID(),
    name: options.name ?? "",
    scopes: options.scope ?? scopesDefault,
  };
  const file = options.publicKeyFile;
  const { assertion, authUrl, ...credentials } =
    file === undefined
      ? await issuedCredentials(serviceAccountId, options.days ?? daysDefault, environment)
      : await ownCredentials(file);
  await withPool((pool) => addServiceAccount(pool, { ...account, ...credentials }));
  const subject = serviceAccountUrn(serviceAccountId);
  const { assertionExpiresAt: expiresAt } = credentials;
  return {
    ...account,
    subject,
    ...(assertion !== undefined && expiresAt && { assertion, expiresAt: expiresAt.toISOString() }),
    ...(authUrl !== undefined && { authUrl }),
  };
}

async function issuedCredentials(
  serviceAccountId: string,
  days: number,
  environment: Record<string, string | undefined>,
) {
  const settings = readSettings(assertionCommandSettings, environment);
  const authUrl = settings.authUrl ?? reachableUrl(settings.host, settings.port);
  const assertionId = randomUUID();
  // `exp` is in whole seconds.
  const expiresAt = new Date(Math.floor((Date.now() + days * dayMs) / 1000) * 1000);
  const issued = await issueAssertion({ serviceAccountId, assertionId, authUrl, expiresAt });
  return { ...issued, authUrl, assertionId, assertionExpiresAt: expiresAt };
}

async function ownCredentials(file: string) {
  const pem = await readFile(file, "utf8").catch((cause: Error) => {
    throw new Error(`Cannot read the public key from ${file}`, { cause });
  });
  try {
    const publicKeyPem = readPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
    const none = { assertion: undefined, authUrl: undefined };
    return { ...none, publicKeyPem, assertionId: null, assertionExpiresAt: null };
  } catch (cause) {
    throw new Error(`Cannot use the public key in ${file}`, { cause });
  }
}
