/** How service accounts are told in tokens. A client that acts for itself is one too. */

/** Present in every token of a service account, so that a resource server can tell. */
export const serviceAccountScope = "service_account";

/** The subject of a service account's tokens, by its ID or the client's. */
export function serviceAccountUrn(id: string): string {
  return `urn:svc:serviceaccount:${id}`;
}
