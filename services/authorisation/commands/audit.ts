/** `audit`: lists what was granted, to which client, when, and from which address. */
import { printText } from "@stowage/process";
import { type ListedEvent, listEvents } from "../store/audit-events.ts";
import {
  type AuthorisationFilter,
  type AuthorisationPage,
  type ListedAuthorisation,
  listAuthorisations,
} from "../store/list-authorisations.ts";
import { limitOption, parseText, parseTime, parseUuid } from "./arguments.ts";
import { labelledLines, print, timeText } from "./output.ts";
import { runCommands, type WithPool } from "./run-commands.ts";

const help = `
Every token has the ID of its record in the claim urn:svc:auth:authorisation_id.

Examples:
  stowage audit --authorisation 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f
  stowage audit --events --subject urn:svc:user:0d1b8a3e-6f1c-4f5e-9a57-1a2b3c4d5e6f
  stowage audit --organisation acme --from 2026-11-21 --json`;

interface AuditOptions extends AuthorisationPage {
  authorisation?: string;
  client?: string;
  subject?: string;
  organisation?: string;
  sid?: string;
  events?: true;
  from?: Date;
  to?: Date;
  json?: true;
}

function filterOf(options: AuditOptions): AuthorisationFilter {
  const { authorisation: authorisationId, client: clientId, organisation, sid } = options;
  const { subject, from, to } = options;
  const granted = { authorisationId, clientId, organisationId: organisation, sid };
  return { ...granted, subject, from, to };
}

function describe(grant: ListedAuthorisation): string {
  return labelledLines([
    ["authorisation", grant.authorisationId],
    ["granted", timeText(grant.issuedAt.getTime())],
    ["from", grant.address],
    ["grant", grant.grantType],
    ["client", grant.clientId],
    ["client of", grant.clientOrganisationId],
    ["application", grant.applicationId],
    ["organisation", grant.organisationId],
    ["subject", grant.subject],
    ["audience", grant.audience],
    ["scopes", grant.scopes.join(" ")],
    ["details", grant.authorizationDetails && JSON.stringify(grant.authorizationDetails)],
    ["exchanged", grant.sourceAuthorisationId],
    ["jti", grant.tokenId],
    ["sid", grant.sessionId],
    ["grant id", grant.grantId],
  ]);
}

function describeEvent(event: ListedEvent): string {
  const { details } = event;
  return labelledLines([
    ["event", event.eventId],
    ["happened", timeText(event.occurredAt.getTime())],
    ["what", event.kind],
    ["operator", event.operator],
    ["from", event.address],
    ["client", event.clientId],
    ["subject", event.subject],
    ["details", Object.keys(details).length > 0 ? JSON.stringify(details) : undefined],
  ]);
}

/** @param refuse ends the program: wrong usage. */
async function printEvents(
  options: AuditOptions,
  withPool: WithPool,
  refuse: (message: string) => never,
): Promise<void> {
  const { authorisation, organisation, sid, subject, client: clientId, from, to } = options;
  if (authorisation ?? organisation ?? sid) {
    refuse("error: --events goes with --client, --subject, --from, --to, --limit and --after only");
  }
  const filter = { subject, clientId, from, to };
  const page = await withPool((pool) => listEvents(pool, filter, options));
  printPage({ page, texts: page.events.map(describeEvent), none: "events" }, options.json);
}

/** @param none what there is none of if the page is empty */
function printPage(
  { page, texts, none }: { page: { next: string | null }; texts: string[]; none: string },
  json: boolean | undefined,
): void {
  if (texts.length === 0 && !json) printText(`no such ${none}\n`, process.stderr);
  const more = page.next === null ? "" : `\nThere are more: --after ${page.next}\n`;
  print(page, () => texts.join("\n") + more, json);
}

await runCommands(
  { name: "audit", description: "Lists what was granted, to whom, when, and from which address." },
  (program, withPool) => {
    program
      .option("--authorisation <id>", "the grant with this ID", parseUuid)
      .option("--client <id>", "what this client was granted", parseUuid)
      .option("--subject <urn>", "grants for this user or service account", parseText)
      .option("--organisation <id>", "grants for the data of this organisation", parseText)
      .option("--sid <id>", "grants in the session with this ID", parseText)
      .option("--events", "list failed sign-ins, consents, revocations and commands of operators")
      .option("--from <time>", "granted at this time or later", parseTime)
      .option("--to <time>", "granted before this time", parseTime)
      .option(...limitOption(50))
      .option("--after <id>", "continue after this grant, the last one shown before", parseUuid)
      .option("--json", "print one JSON object")
      .addHelpText("after", help)
      .allowExcessArguments(false)
      .action(async (options: AuditOptions) => {
        const refuse = (message: string) => program.error(message);
        if (options.events) return await printEvents(options, withPool, refuse);
        const page = await withPool((pool) => listAuthorisations(pool, filterOf(options), options));
        const texts = page.authorisations.map(describe);
        printPage({ page, texts, none: "grants" }, options.json);
      });
  },
);
