/**
 * The storage of oidc-provider: PostgreSQL, shared by all processes.
 *
 * The provider only reads clients. Access tokens are signed and not stored, and those of a grant
 * are revoked by the denylist. Everything else is a record under the hash of its
 * ID, so the database contains no session cookie, code or refresh token.
 */
import { addressLimitKey, isLowerCaseUuid } from "@stowage/process";
import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import type pg from "pg";
import { limitUserCodes, type UserCodeRates } from "../devices/user-code-limits.ts";
import { toClientMetadata } from "../grants/registered-client.ts";
import { handleOf, hashOfHandle } from "../model/device-code-handles.ts";
import { currentContext, errors } from "../overrides/library.ts";
import type { FindClient } from "../store/clients.ts";
import { endInteraction } from "../store/ended-interactions.ts";
import {
  consumeRecord,
  type FoundRecord,
  findRecord,
  findRecordBy,
  recordBytesMax,
  removeRecord,
  storeRecord,
} from "../store/provider-records.ts";
import { withoutSecrets, withSecrets } from "./interaction-secrets.ts";

/** What the storage needs. */
export interface StorageOptions {
  pool: pg.Pool;
  /** Finds a client by a UUID. */
  findClient: FindClient;
  /** How long a refresh token that was used can be used again, in seconds. */
  refreshGraceSeconds: number;
  userCodeRates: UserCodeRates;
  /** Finds an access token by its text. */
  findAccessToken: (text: string) => Promise<AdapterPayload | undefined>;
  /** How sessions are stored and ended. */
  sessions: Pick<Adapter, "upsert" | "destroy">;
  /** Revokes a grant with everything that rests on it. */
  revokeGrant: (grantId: string) => Promise<void>;
}

/** The storage of all models. */
export function storageOf(options: StorageOptions): AdapterFactory {
  const special: Record<string, Partial<Adapter>> = {
    Client: clients(options),
    AccessToken: { find: options.findAccessToken, revokeByGrantId: options.revokeGrant },
    ClientCredentials: { find: async () => undefined },
  };
  return (model) => {
    if (model === "Session") return { ...records(model, options), ...options.sessions };
    const own = special[model];
    return own ? { ...refuseAll(model), ...own } : records(model, options);
  };
}

function clients(options: StorageOptions): Pick<Adapter, "find"> {
  return {
    async find(clientId): Promise<AdapterPayload | undefined> {
      if (!isLowerCaseUuid(clientId)) return undefined;
      const record = await options.findClient(clientId);
      return record && toClientMetadata(record);
    },
  };
}

/** If the library relies on something that is not stored, it must fail. */
function refuseAll(model: string): Adapter {
  const refuse = (act: string) => async () => {
    throw new Error(`Cannot ${act} a ${model}: this service stores no such thing`);
  };
  return {
    upsert: refuse("store"),
    find: refuse("find"),
    findByUserCode: refuse("find"),
    findByUid: refuse("find"),
    consume: refuse("consume"),
    destroy: refuse("destroy"),
    revokeByGrantId: refuse("revoke"),
  };
}

/**
 * One model as records in the database.
 *
 * A record found by `uid` has no `jti`, which only its bearer knows. The library can read it, but
 * not save or destroy it. One found by `userCode` has a handle as its `jti`.
 */
function records(model: string, options: StorageOptions): Adapter {
  const { pool, revokeGrant, refreshGraceSeconds } = options;
  const graceSeconds = model === "RefreshToken" ? refreshGraceSeconds : 0;
  const payloadOf = ({ payload, consumedSeconds }: FoundRecord): AdapterPayload => {
    if (consumedSeconds === null || consumedSeconds < graceSeconds) return payload;
    return { ...payload, consumed: Math.floor(Date.now() / 1000 - consumedSeconds) };
  };
  const refuse = async (grantId: string | null | undefined): Promise<never> => {
    // Somebody else may have the code or the token.
    if (grantId) await revokeGrant(grantId);
    throw model === "PushedAuthorizationRequest"
      ? new errors.InvalidRequestUri("the request_uri was used already")
      : new errors.InvalidGrant(`a ${model} was used already`);
  };
  return {
    async upsert(id, payload, expiresInSeconds) {
      const text = JSON.stringify(withoutSecrets(id, payload));
      if (Buffer.byteLength(text) > recordBytesMax) {
        throw new errors.InvalidRequest("the request is too large");
      }
      const { grantId, uid, userCode, accountId, clientId } = payload;
      const isPending = pendingModels.has(model) && accountId === undefined;
      const address = isPending ? callerNetwork() : undefined;
      const members = { grantId, uid, userCode, accountId, clientId, address };
      await storeRecord(pool, { model, id, payload: text, expiresInSeconds, ...members });
    },
    async find(id) {
      // Only requests of browsers know a device code by its handle.
      if (hashOfHandle(id) !== undefined && currentContext()?.oidc.route === "token")
        return undefined;
      const found = await findRecord(pool, { model, id });
      if (endsMarked.has(model) && found && found.consumedSeconds !== null) return undefined;
      return found && withSecrets(id, payloadOf(found));
    },
    async findByUid(uid) {
      const found = await findRecordBy(pool, model, "uid", uid);
      if (found === undefined || found.consumedSeconds !== null) return undefined;
      return payloadOf(found);
    },
    async findByUserCode(userCode) {
      const ctx = currentContext();
      const find = () => findRecordBy(pool, model, "user_code", userCode);
      const found = await (ctx ? limitUserCodes(ctx, options.userCodeRates, find) : find());
      return found && { ...payloadOf(found), jti: handleOf(found.idHash) };
    },
    async consume(id) {
      const earlier = await consumeRecord(pool, { model, id });
      // The library found it unused a moment ago: another request uses the same one.
      if (earlier !== undefined && graceSeconds === 0) await refuse(earlier.grantId);
    },
    async destroy(id) {
      if (model === "Interaction") await endInteraction(pool, id);
      else if (!endsWithGrant.has(model)) await removeRecord(pool, { model, id });
    },
    revokeByGrantId: async () => {},
  };
}

/**
 * The library destroys these only when it revokes their grant. It would remove one kind of record
 * after the other. Instead, `revokeByGrantId` of access tokens removes all of them in one
 * transaction. If that fails, the records are still there, and the client can try again.
 */
const endsWithGrant = new Set(["RefreshToken", "Grant"]);

/** The records of these stay for some time when they have ended. */
const endsMarked = new Set(["Interaction", "Session"]);

/** Records that anyone can create without signing in. */
const pendingModels = new Set(["PushedAuthorizationRequest", "Interaction", "DeviceCode"]);

function callerNetwork(): string | undefined {
  const ctx = currentContext();
  return ctx && addressLimitKey(ctx.ip);
}
