/** One grant on record, as people read it. */
import type { ListedAuthorisation } from "../store/list-authorisations.ts";

/** Describes a grant in lines. */
export function describeGrant(grant: ListedAuthorisation): string {
  return lines
    .map(([label, text]) => [label, text(grant)] as const)
    .filter(([, text]) => text !== null)
    .map(([label, text]) => `${label.padEnd(15)}${text}\n`)
    .join("");
}

const lines: [label: string, text: (grant: ListedAuthorisation) => string | null][] = [
  ["authorisation", (grant) => grant.authorisationId],
  ["granted", (grant) => grant.issuedAt.toISOString()],
  ["from", (grant) => grant.address],
  ["grant", (grant) => grant.grantType],
  ["client", (grant) => grant.clientId],
  ["application", (grant) => grant.applicationId],
  ["organisation", (grant) => grant.organisationId],
  ["subject", (grant) => grant.subject],
  ["audience", (grant) => grant.audience],
  ["scopes", (grant) => grant.scopes.join(" ")],
  ["details", (grant) => grant.authorizationDetails && JSON.stringify(grant.authorizationDetails)],
  ["exchanged", (grant) => grant.sourceAuthorisationId],
];
