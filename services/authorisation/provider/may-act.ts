/** The claim `may_act` (RFC 8693 section 4.4): who may act for the subject of a token. */

/** A client that wants to. */
export interface Candidate {
  /** What `sub` would name it by. */
  subject: string;
  clientId: string;
  /** Who vouches for it. */
  issuer: string;
}

/**
 * Whether a token lets the candidate act: its claim must name it, by members that we can compare
 * and nothing else. Without the claim, anybody may. The token must have been verified.
 */
export function mayAct(token: string, { subject, clientId, issuer }: Candidate): boolean {
  const [, payload = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
  if (!Object.hasOwn(claims, "may_act")) return true;
  const { may_act: named } = claims as { may_act: unknown };
  if (typeof named !== "object" || named === null) return false;
  const known = new Map([
    ["sub", subject],
    ["client_id", clientId],
    ["iss", issuer],
  ]);
  const members = Object.entries(named);
  const isNamed = Object.hasOwn(named, "sub") || Object.hasOwn(named, "client_id");
  return isNamed && members.every(([name, value]) => known.get(name) === value);
}
