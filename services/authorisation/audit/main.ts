/** `audit`: tells what was granted, to whom, when, and from which address it was asked for. */
import { describeSettings, exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { parseClientId as parseUuid } from "../clients/arguments.ts";
import { commandSettings } from "../settings.ts";
import {
  type AuthorisationFilter,
  type AuthorisationPage,
  listAuthorisations,
} from "../store/list-authorisations.ts";
import { withPoolOf } from "../store/with-pool.ts";
import { parseLimit, parseText, parseTime } from "./arguments.ts";
import { describeGrant } from "./describe-grant.ts";

const help = `
Every token carries the ID of its record in the claim urn:svc:auth:authorisation_id.

Examples:
  stowage audit --authorisation 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f
  stowage audit --organisation acme --from 2026-11-21 --json

Settings come from the environment:
${describeSettings(commandSettings)}`;

const limitDefault = 50;

interface Options extends AuthorisationFilter, AuthorisationPage {
  authorisation?: string;
  client?: string;
  organisation?: string;
  json?: true;
}

await runProgram("audit", async () => {
  const withPool = withPoolOf("audit", process.env);
  const program = new Command("audit")
    .description("Lists what was granted, the newest first.")
    .option("--authorisation <id>", "the grant with this ID", parseUuid)
    .option("--client <id>", "what this client was granted", parseUuid)
    .option("--subject <urn>", "what speaks for this user or service account", parseText)
    .option("--organisation <id>", "what reaches the data of this organisation", parseText)
    .option("--from <time>", "granted at this time or later", parseTime)
    .option("--to <time>", "granted before this time", parseTime)
    .option("--limit <count>", "how many to show", parseLimit, limitDefault)
    .option("--after <id>", "go on after this one, the last that was shown before", parseUuid)
    .option("--json", "print one JSON object")
    .addHelpText("after", help)
    .allowExcessArguments(false)
    .action(async (options: Options) => {
      const page = await withPool((pool) => listAuthorisations(pool, filterOf(options), options));
      if (options.json) process.stdout.write(`${JSON.stringify(page)}\n`);
      else {
        process.stdout.write(page.authorisations.map(describeGrant).join("\n"));
        if (page.next) process.stdout.write(`\nThere are more: --after ${page.next}\n`);
      }
    });
  exitOnWrongUsage(program);
  await program.parseAsync();
});

function filterOf(options: Options): AuthorisationFilter {
  const { authorisation, client, subject, organisation, from, to } = options;
  return {
    ...(authorisation !== undefined && { authorisationId: authorisation }),
    ...(client !== undefined && { clientId: client }),
    ...(subject !== undefined && { subject }),
    ...(organisation !== undefined && { organisationId: organisation }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}
