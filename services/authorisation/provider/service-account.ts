/** How service accounts are told in tokens. A client that acts for itself is one too. */

/** Present in every token of a service account, so that a resource server can tell. */
export const serviceAccountScope = "service_account";

const prefix = "urn:svc:serviceaccount:";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The subject of a service account's tokens, by its ID or the client's. */
export function serviceAccountUrn(id: string): string {
  return prefix + id;
}

/** The ID in such a subject; undefined when it is none. */
export function serviceAccountIdOf(subject: unknown): string | undefined {
  if (typeof subject !== "string" || !subject.startsWith(prefix)) return undefined;
  const id = subject.slice(prefix.length);
  return uuid.test(id) ? id : undefined;
}
