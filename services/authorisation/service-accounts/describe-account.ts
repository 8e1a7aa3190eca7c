/** A new service account as people read it. */

/** What there is to say. */
export interface DescribedAccount {
  serviceAccountId: string;
  subject: string;
  organisationId: string;
  applicationId: string;
  name: string;
  scopes: readonly string[];
  /** Left out for an account that signs its own. */
  assertion?: string;
  /** The issuer that the assertion is for. */
  authUrl?: string;
  /** RFC 3339. */
  expiresAt?: string;
}

/** Describes an account, a line for each thing that there is to say. */
export function describeAccount(account: DescribedAccount): string {
  const lines = [
    ["id", account.serviceAccountId],
    ["subject", account.subject],
    ["organisation", account.organisationId],
    ["application", account.applicationId],
    ["name", account.name],
    ["scopes", account.scopes.join(" ")],
    ["good at", account.authUrl],
    ["good until", account.expiresAt],
    ["assertion", account.assertion],
  ].flatMap(([label = "", text]) => (text ? [`${label.padEnd(15)}${text}\n`] : []));
  const advice = account.assertion
    ? "Keep the assertion now: it is not stored and cannot be made again.\n"
    : "";
  return lines.join("") + advice;
}
