/** `audit`: lists what was granted, to which client, when, and from which address. */
import {
  type AuthorisationFilter,
  type AuthorisationPage,
  type ListedAuthorisation,
  listAuthorisations,
} from "../store/list-authorisations.ts";
import { parseText, parseTime, parseUuid, wholeNumber } from "./arguments.ts";
import { labelledLines, print } from "./output.ts";
import { runCommands } from "./run-commands.ts";

const limitMax = 1000;
const limitDefault = 50;

const help = `
Every token has the ID of its record in the claim urn:svc:auth:authorisation_id.

Examples:
  stowage audit --authorisation 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f
  stowage audit --organisation acme --from 2026-11-21 --json
`;

interface AuditOptions extends AuthorisationPage {
  authorisation?: string;
  client?: string;
  subject?: string;
  organisation?: string;
  from?: Date;
  to?: Date;
  json?: true;
}

function filterOf(options: AuditOptions): AuthorisationFilter {
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

function describe(grant: ListedAuthorisation): string {
  return labelledLines([
    ["authorisation", grant.authorisationId],
    ["granted", grant.issuedAt.toISOString()],
    ["from", grant.address],
    ["grant", grant.grantType],
    ["client", grant.clientId],
    ["application", grant.applicationId],
    ["organisation", grant.organisationId],
    ["subject", grant.subject],
    ["audience", grant.audience],
    ["scopes", grant.scopes.join(" ")],
    ["details", grant.authorizationDetails && JSON.stringify(grant.authorizationDetails)],
    ["exchanged", grant.sourceAuthorisationId],
  ]);
}

await runCommands(
  { name: "audit", description: "Lists what was granted, the newest first." },
  (program, withPool) => {
    program
      .option("--authorisation <id>", "the grant with this ID", parseUuid)
      .option("--client <id>", "what this client was granted", parseUuid)
      .option("--subject <urn>", "grants for this user or service account", parseText)
      .option("--organisation <id>", "grants for the data of this organisation", parseText)
      .option("--from <time>", "granted at this time or later", parseTime)
      .option("--to <time>", "granted before this time", parseTime)
      .option("--limit <count>", "how many to show", wholeNumber(limitMax), limitDefault)
      .option("--after <id>", "continue after this grant, the last one shown before", parseUuid)
      .option("--json", "print one JSON object")
      .addHelpText("after", help)
      .allowExcessArguments(false)
      .action(async (options: AuditOptions) => {
        const page = await withPool((pool) => listAuthorisations(pool, filterOf(options), options));
        const more = page.next === null ? "" : `\nThere are more: --after ${page.next}\n`;
        print(page, () => page.authorisations.map(describe).join("\n") + more, options.json);
      });
  },
);
