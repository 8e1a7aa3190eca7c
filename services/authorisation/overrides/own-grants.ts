/**
 * Override: each login of a program on people's devices has a grant of its own.
 *
 * oidc-provider has one grant for a session and a client. Revoking a refresh token revokes its
 * grant, so signing out of one device would end the logins of all others that the same browser has
 * allowed. Logins that end with their session keep its grant: they share its fate anyway.
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
import { Provider as CurrentProvider } from "./library.ts";

type Code = (AuthorizationCode | DeviceCode) & { expiresWithSession?: boolean };

/** Gives codes for such logins a copy of the session's grant. */
export function separateGrants(provider: Provider): void {
  for (const { prototype } of [provider.AuthorizationCode, provider.DeviceCode]) {
    const { save } = prototype;
    Object.assign(prototype, {
      async save(this: Code) {
        const { ctx } = CurrentProvider;
        if (ctx !== undefined && needsOwnGrant(this, ctx)) this.grantId = await copyGrant(ctx);
        return await save.call(this);
      },
    });
  }
}

/** Until the person has decided, the code of a device has no account. */
function needsOwnGrant(code: Code, { oidc: { client, session } }: KoaContextWithOIDC): boolean {
  if (client?.applicationType !== "native" || code.expiresWithSession === true) return false;
  return code.accountId !== undefined && code.grantId === session?.grantIdFor(client.clientId);
}

/** The ID is stored as a name too, so that operators can list and revoke the grant. */
async function copyGrant({ oidc }: KoaContextWithOIDC): Promise<string> {
  const { accountId, clientId, openid, resources, rejected, rar } = oidc.entities.Grant as never;
  const { Grant } = oidc.provider;
  const grantId = randomBytes(32).toString("hex");
  const members = { jti: grantId, accountId, clientId, openid, resources, rejected, rar };
  const grant = new Grant(members as ConstructorParameters<typeof Grant>[0]) as StoredGrant;
  const { payload } = await grant.getValueAndPayload();
  await Grant.adapter.upsert(grantId, { ...payload, grantId }, grant.expiration);
  return grantId;
}

/** Members that the types of the library leave out. */
type StoredGrant = Grant & {
  readonly expiration: number;
  getValueAndPayload(): Promise<{ payload: AdapterPayload }>;
};
