/** The subjects of tokens: URNs with an ID that never changes and reveals nothing. */
import { isLowerCaseUuid } from "@stowage/process";

/** What the subjects of people begin with; the ID of the account follows. */
export const userPrefix = "urn:svc:user:";
const serviceAccountPrefix = "urn:svc:serviceaccount:";

/** The subject of a person's account. */
export function subjectOf(accountId: string): string {
  return userPrefix + accountId;
}

/** The account ID in a person's subject; undefined for other subjects. */
export function accountIdOf(subject: string): string | undefined {
  return idIn(subject, userPrefix);
}

/** The subject of a service account, or of a client that acts for itself. */
export function serviceAccountUrn(id: string): string {
  return serviceAccountPrefix + id;
}

function idIn(subject: string, prefix: string): string | undefined {
  const id = subject.startsWith(prefix) ? subject.slice(prefix.length) : "";
  return isLowerCaseUuid(id) ? id : undefined;
}
