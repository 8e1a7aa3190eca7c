/** `service-accounts`: manages the accounts of programs that get tokens for an assertion. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { printText, reachableUrl, readSettings } from "@stowage/process";
import type { Command } from "commander";
import { issueAssertion, readPublicKey } from "../model/assertions.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { assertionCommandSettings } from "../settings.ts";
import {
  addServiceAccount,
  listServiceAccounts,
  revokeServiceAccount,
  type StoredServiceAccount,
} from "../store/service-accounts.ts";
import { parseUuid, wholeNumber } from "./arguments.ts";
import { type Columns, dayText, labelledLines, print, printRows, timeText } from "./output.ts";
import { type Environment, runCommands, type WithPool } from "./run-commands.ts";
import { addTenantOptions, scopesDefault, type TenantOptions } from "./tenant-options.ts";

interface AddOptions extends TenantOptions {
  days?: number;
  publicKeyFile?: string;
  json?: true;
}

const daysDefault = 90;
const daysMax = 366;
const dayMs = 24 * 3600 * 1000;

const addHelp = `
The assertion is for the service at AUTH_URL (or HOST and PORT). Every program that has it gets
tokens of the account until it expires or the account is revoked:

  curl -d grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer -d assertion=eyJ... AUTH_URL/token

With --public-key-file the program keeps a key of its own, and signs a new assertion for each token:
iss and sub are the account's, aud is AUTH_URL, jti is new each time, exp at most 300 s after iat.`;

function defineAdd(command: Command, withPool: WithPool, environment: Environment): void {
  addTenantOptions(command)
    .description("Adds an account, and prints its ID and its assertion, which is shown only once.")
    .option(
      "--days <days>",
      `how long its assertion is valid (default: ${daysDefault})`,
      wholeNumber(daysMax, "of days "),
    )
    .option(
      "--public-key-file <file>",
      "file that contains its own public key, as PEM; no assertion is made",
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", addHelp)
    .action(async (options: AddOptions) => {
      if (options.days !== undefined && options.publicKeyFile !== undefined) {
        command.error("--days goes with an assertion, which --public-key-file leaves out");
      }
      await add(options, withPool, environment);
    });
}

async function add(
  options: AddOptions,
  withPool: WithPool,
  environment: Environment,
): Promise<void> {
  const serviceAccountId = randomUUID();
  const account = {
    serviceAccountId,
    organisationId: options.organisation,
    applicationId: options.application ?? randomUUID(),
    name: options.name ?? "",
    scopes: options.scope ?? scopesDefault,
  };
  const file = options.publicKeyFile;
  const { issued, ...credentials } =
    file === undefined
      ? await issueCredentials(serviceAccountId, options.days ?? daysDefault, environment)
      : await ownCredentials(file);
  await withPool((pool) => addServiceAccount(pool, { ...account, ...credentials }));

  const shown = { ...account, subject: serviceAccountUrn(serviceAccountId), ...issued };
  const text = () =>
    labelledLines([
      ["id", serviceAccountId],
      ["subject", shown.subject],
      ["organisation", shown.organisationId],
      ["application", shown.applicationId],
      ["name", shown.name],
      ["scopes", shown.scopes.join(" ")],
      ["good at", issued?.authUrl],
      ["good until", issued && timeText(Date.parse(issued.expiresAt))],
      ["assertion", issued?.assertion],
    ]) + (issued ? "Keep the assertion now: it is not stored and cannot be made again.\n" : "");
  print(shown, text, options.json);
}

async function issueCredentials(serviceAccountId: string, days: number, environment: Environment) {
  const settings = readSettings(assertionCommandSettings, environment);
  const authUrl = settings.authUrl ?? reachableUrl(settings.host, settings.port);
  const assertionId = randomUUID();
  // The claim `exp` is in whole seconds.
  const expiresAt = new Date(Math.floor((Date.now() + days * dayMs) / 1000) * 1000);
  const { assertion, publicKeyPem } = await issueAssertion({
    serviceAccountId,
    assertionId,
    authUrl,
    expiresAt,
  });
  const issued = { assertion, expiresAt: expiresAt.toISOString(), authUrl };
  return { issued, publicKeyPem, assertionId, assertionExpiresAt: expiresAt };
}

async function ownCredentials(file: string) {
  const pem = await readFile(file, "utf8").catch((cause: Error) => {
    throw new Error(`Cannot read the public key from ${file}`, { cause });
  });
  try {
    const publicKeyPem = readPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
    return { issued: undefined, publicKeyPem, assertionId: null, assertionExpiresAt: null };
  } catch (cause) {
    throw new Error(`Cannot use the public key in ${file}`, { cause });
  }
}

type ListedAccount = ReturnType<typeof toListed>;

function toListed({ publicKeyPem: _, ...account }: StoredServiceAccount) {
  return { ...account, state: stateOf(account) };
}

function stateOf({ revokedAt, assertionExpiresAt }: Omit<StoredServiceAccount, "publicKeyPem">) {
  if (revokedAt !== null) return "revoked";
  return assertionExpiresAt !== null && assertionExpiresAt <= new Date() ? "expired" : "good";
}

const columns: Columns<ListedAccount> = {
  ID: (account) => account.serviceAccountId,
  ORGANISATION: (account) => account.organisationId,
  APPLICATION: (account) => account.applicationId,
  ADDED: (account) => dayText(account.createdAt),
  STATE: (account) => account.state,
  "GOOD UNTIL": (account) =>
    account.assertionExpiresAt === null ? "-" : dayText(account.assertionExpiresAt),
  SCOPES: (account) => account.scopes.join(" "),
  NAME: (account) => account.name,
};

const revokeHelp = `
For an account that is no longer needed, or whose assertion others may have. It gets no more tokens,
and the services refuse the tokens it has within two seconds. It cannot be undone: add another
account.`;

async function revoke(id: string, withPool: WithPool): Promise<void> {
  const outcome = await withPool((pool) => revokeServiceAccount(pool, id));
  if (outcome === "unknown") {
    throw new Error(`Cannot revoke service account ${id}: there is no such account`);
  }
  printText(
    outcome === "revoked"
      ? `revoked service account ${id} and its tokens\n`
      : `service account ${id} was revoked before\n`,
  );
}

await runCommands(
  {
    name: "service-accounts",
    description: "Manages accounts of programs, which get tokens with an assertion.",
    examples: ['stowage service-accounts add --organisation acme --name "backup"'],
    settings: { add: assertionCommandSettings },
  },
  (program, withPool, { environment }) => {
    defineAdd(program.command("add"), withPool, environment);
    program
      .command("list")
      .description("Lists the accounts, oldest first.")
      .option("--json", "print a JSON array")
      .action(async ({ json }: { json?: true }) => {
        printRows((await withPool(listServiceAccounts)).map(toListed), columns, {
          json,
          none: "service accounts; add one with: stowage service-accounts add",
        });
      });
    program
      .command("revoke")
      .description("Ends an account, and revokes its tokens.")
      .argument("<id>", "the account's id", parseUuid)
      .addHelpText("after", revokeHelp)
      .action((id: string) => revoke(id, withPool));
  },
);
