/**
 * Override: each login of a program on people's devices has a grant of its own.
 *
 * oidc-provider has one grant for a session and a client. Revoking a refresh token revokes its
 * grant, so signing out of one device would end the logins of all others that the same browser has
 * allowed. Logins that end with their session keep its grant: they end together anyway.
 */
import { randomBytes } from "node:crypto";
import type Provider from "oidc-provider";
import type {
  AdapterPayload,
  AuthorizationCode,
  DeviceCode,
  Grant,
  KoaContextWithOIDC,
} from "oidc-provider";
import { currentContext, errors } from "./library.ts";

type Code = (AuthorizationCode | DeviceCode) & { expiresWithSession?: boolean; error?: string };

/** The copy of a grant. */
interface GrantCopy {
  grantId: string;
  payload: object;
  expiresInSeconds: number;
}

/** Stores a copy of a grant. Returns false if the grant was removed. */
type StoreCopy = (grantId: string, copy: GrantCopy) => Promise<boolean>;

/** Gives codes for such logins a copy of the session's grant. */
export function grantPerNativeLogin(provider: Provider, storeCopy: StoreCopy): void {
  for (const { prototype } of [provider.AuthorizationCode, provider.DeviceCode]) {
    const { save } = prototype;
    Object.assign(prototype, {
      async save(this: Code) {
        const ctx = currentContext();
        if (ctx !== undefined && needsOwnGrant(this, ctx)) {
          this.grantId = await copyGrant(ctx, storeCopy);
        }
        return await save.call(this);
      },
    });
  }
}

/** Until the person has decided, the code of a device has no account. */
function needsOwnGrant(code: Code, { oidc: { client, session } }: KoaContextWithOIDC): boolean {
  if (client?.applicationType !== "native" || code.expiresWithSession === true) return false;
  // The request of the device was refused: no tokens follow.
  if (code.error !== undefined) return false;
  return code.accountId !== undefined && code.grantId === session?.grantIdFor(client.clientId);
}

/** The payload contains the ID, by which operators list and revoke the grant. */
async function copyGrant({ oidc }: KoaContextWithOIDC, storeCopy: StoreCopy): Promise<string> {
  const original = oidc.entities.Grant as Grant;
  const { accountId, clientId, openid, resources, rejected, rar } = original as never;
  const { Grant } = oidc.provider;
  const grantId = randomBytes(32).toString("hex");
  const members = { accountId, clientId, openid, resources, rejected, rar };
  const grant = new Grant(members as ConstructorParameters<typeof Grant>[0]) as StoredGrant;
  const { payload } = await grant.getValueAndPayload();
  const copy = { grantId, payload: { ...payload, grantId }, expiresInSeconds: grant.expiration };
  if (await storeCopy(original.jti, copy)) return grantId;
  throw new errors.AccessDenied("what was allowed has been withdrawn");
}

/** Members that the types of the library leave out. */
type StoredGrant = Grant & {
  readonly expiration: number;
  getValueAndPayload(): Promise<{ payload: AdapterPayload }>;
};
