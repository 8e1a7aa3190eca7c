/** `clients add`: registers a client and prints its credentials, the only time they can be seen. */
import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { addClient } from "../store/add-client.ts";
import type { WithPool } from "../store/with-pool.ts";
import { collectScope, parseClientId, parseIdentifier, parseName } from "./arguments.ts";
import { generateClientSecret, hashClientSecret } from "./client-secret.ts";
import { readSecretFile } from "./secret-file.ts";

interface AddOptions {
  organisation: string;
  application?: string;
  name?: string;
  scope?: string[];
  clientId?: string;
  clientSecretFile?: string;
  json?: true;
}

/** What a client may read when nothing is said. */
const scopesDefault = ["upl:bucket:read"];

/** The command, for `main.ts`. */
export function addCommand(withPool: WithPool): Command {
  return new Command("add")
    .description("Registers a client and prints its id and, this once, its secret.")
    .requiredOption("--organisation <id>", "organisation whose data it may reach", parseIdentifier)
    .option("--application <id>", "application it belongs to (default: a new one)", parseIdentifier)
    .option("--name <name>", "what people call it", parseName)
    .option(
      "--scope <scope>",
      `scope it may be granted, again for more (default: ${scopesDefault})`,
      collectScope,
    )
    .option("--client-id <uuid>", "its identifier (default: a new one)", parseClientId)
    .option("--client-secret-file <file>", "file that holds its secret (default: a new secret)")
    .option("--json", "print one JSON object")
    .action((options: AddOptions) => add(options, withPool));
}

async function add(options: AddOptions, withPool: WithPool): Promise<void> {
  const file = options.clientSecretFile;
  const given = file === undefined ? undefined : await readSecretFile(file);
  const clientSecret = given ?? generateClientSecret();
  const client = {
    clientId: options.clientId ?? randomUUID(),
    organisationId: options.organisation,
    applicationId: options.application ?? randomUUID(),
    name: options.name ?? "",
    scopes: options.scope ?? scopesDefault,
  };
  const secretHash = await hashClientSecret(clientSecret);
  await withPool((pool) => addClient(pool, { ...client, secretHash }));

  const shown = given === undefined ? { ...client, clientSecret } : client;
  process.stdout.write(options.json ? `${JSON.stringify(shown)}\n` : describe(shown));
}

const labels = {
  clientId: "client id",
  clientSecret: "client secret",
  organisationId: "organisation",
  applicationId: "application",
  name: "name",
  scopes: "scopes",
};

function describe(client: Partial<Record<keyof typeof labels, string | string[]>>): string {
  const lines = Object.entries(labels).flatMap(([key, label]) => {
    const value = client[key as keyof typeof labels];
    const text = typeof value === "object" ? value.join(" ") : value;
    return text ? [`${label.padEnd(15)}${text}\n`] : [];
  });
  const advice = client.clientSecret
    ? "Keep the secret now: it is not stored and cannot be shown again.\n"
    : "";
  return lines.join("") + advice;
}
