/**
 * Each login of a program on people's devices has a grant of its own. Revoking a refresh token
 * revokes its grant, so signing out of one device leaves the others signed in that the same browser
 * has allowed. Logins that end with their session keep its grant: they end together anyway.
 */
import { randomBytes } from "node:crypto";
import type { AdapterPayload, Grant, KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { errors } from "../overrides/library.ts";
import { copyGrant } from "../store/copy-grant.ts";

/** What the copies need. */
export interface OwnGrantOptions {
  pool: pg.Pool;
  /** Revokes a grant with everything that rests on it. */
  revokeGrant: (grantId: string) => Promise<void>;
}

/** Whether the person has just allowed a login that outlives the session. */
export function needsOwnGrant({ oidc }: KoaContextWithOIDC, grant: Grant): boolean {
  const { client, result, requestParamOIDCScopes } = oidc;
  const isAllowed = result?.consent !== undefined && client?.applicationType === "native";
  const scopes = grant.getOIDCScopeFiltered(requestParamOIDCScopes).split(" ");
  return isAllowed && scopes.includes("offline_access");
}

/** Stores a copy of the grant and returns it. @throws errors.AccessDenied if it was withdrawn */
export async function ownGrant(
  { oidc }: KoaContextWithOIDC,
  original: Grant,
  options: OwnGrantOptions,
): Promise<Grant | undefined> {
  const { accountId, clientId, openid, resources, rejected, rar } = original as never;
  const { Grant } = oidc.provider;
  // In hexadecimal, no ID looks like an option of a command.
  const grantId = randomBytes(32).toString("hex");
  const members = { accountId, clientId, openid, resources, rejected, rar };
  const grant = new Grant(members as ConstructorParameters<typeof Grant>[0]) as StoredGrant;
  const { payload } = await grant.getValueAndPayload();
  // The payload contains the ID, by which operators list and revoke the grant.
  const copy = { grantId, payload: { ...payload, grantId }, expiresInSeconds: grant.expiration };
  if (await copyGrant(options, original.jti, copy)) return await Grant.find(grantId);
  throw new errors.AccessDenied("what was allowed has been withdrawn");
}

/** Members that the types of the library leave out. */
type StoredGrant = Grant & {
  readonly expiration: number;
  getValueAndPayload(): Promise<{ payload: AdapterPayload }>;
};
