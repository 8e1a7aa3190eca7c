/** How service accounts are told in tokens. A client that acts for itself is one too. */
import { isLowerCaseUuid } from "@stowage/process";

/** Present in every token of a service account, so that a resource server can tell. */
export const serviceAccountScope = "service_account";

const prefix = "urn:svc:serviceaccount:";

/** The subject of a service account's tokens, by its ID or the client's. */
export function serviceAccountUrn(id: string): string {
  return prefix + id;
}

/** The ID in such a subject; undefined when it is none. */
export function serviceAccountIdOf(subject: unknown): string | undefined {
  if (typeof subject !== "string" || !subject.startsWith(prefix)) return undefined;
  const id = subject.slice(prefix.length);
  return isLowerCaseUuid(id) ? id : undefined;
}
