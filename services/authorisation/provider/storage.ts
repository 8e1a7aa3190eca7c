/**
 * Where oidc-provider keeps what it keeps: in PostgreSQL, shared by all processes.
 *
 * Clients it only reads. Access tokens are signed and not stored: to look for one finds nothing,
 * and those of a grant are revoked by way of the denylist. All else is a record under the hash of
 * its ID: whoever can read the database finds no session cookie, code or refresh token there. For
 * that, the ID is taken out of what is stored with it.
 */
import { isLowerCaseUuid } from "@stowage/process";
import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import type pg from "pg";
import { assertionClient } from "../grants/jwt-bearer.ts";
import { toClientMetadata } from "../grants/registered-client.ts";
import { bearerClientId } from "../overrides/bearer-client-id.ts";
import { errors } from "../overrides/library.ts";
import type { ClientRecord } from "../store/clients.ts";
import {
  consumeRecord,
  type FoundRecord,
  findRecord,
  findRecordBy,
  recordBytesMax,
  removeRecord,
  removeRecordsOfGrant,
  storeRecord,
} from "../store/provider-records.ts";
import type { StoredServiceAccount } from "../store/service-accounts.ts";

/** What the storage needs. */
export interface StorageOptions extends RecordOptions {
  /** Finds a client by a well-formed identifier. */
  findClient: (clientId: string) => Promise<ClientRecord | undefined>;
  /** The same for a service account. */
  findServiceAccount: (serviceAccountId: string) => Promise<StoredServiceAccount | undefined>;
}

/** The storage of all models. */
export function storageOf(options: StorageOptions): AdapterFactory {
  const special: Record<string, Partial<Adapter>> = {
    Client: clients(options),
    AccessToken: { find: async () => undefined, revokeByGrantId: options.revokeGrant },
    ClientCredentials: { find: async () => undefined },
  };
  return (model) => {
    const own = special[model];
    return own ? { ...refuseAll(model), ...own } : recordAdapter(model, options);
  };
}

function clients(options: StorageOptions): Pick<Adapter, "find"> {
  return {
    async find(clientId): Promise<AdapterPayload | undefined> {
      if (clientId === bearerClientId) return assertionClient(clientId);
      if (!isLowerCaseUuid(clientId)) return undefined;
      const record = await options.findClient(clientId);
      if (record !== undefined) return toClientMetadata(record);
      return (await options.findServiceAccount(clientId)) && assertionClient(clientId);
    },
  };
}

/** What is not stored must fail aloud where oidc-provider counts on it all the same. */
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

/** Where the records are, and how to end a grant with everything that came of it. */
export interface RecordOptions {
  pool: pg.Pool;
  revokeGrant: (grantId: string) => Promise<void>;
}

/**
 * Makes the adapter of a model.
 *
 * What is found by its `uid` or `userCode` has no `jti`: nobody knows it but its bearer. It can be
 * read, but not be saved or destroyed by way of the model.
 */
export function recordAdapter(model: string, { pool, revokeGrant }: RecordOptions): Adapter {
  return {
    async upsert(id, payload, expiresInSeconds) {
      const text = JSON.stringify(withoutSecrets(id, payload));
      if (Buffer.byteLength(text) > recordBytesMax) {
        throw new errors.InvalidRequest("the request is too large");
      }
      const { grantId, uid, userCode, accountId, clientId } = payload;
      const names = { grantId, uid, userCode, accountId, clientId };
      await storeRecord(pool, { model, id, payload: text, expiresInSeconds, ...names });
    },
    async find(id) {
      const found = await findRecord(pool, { model, id });
      return found && withSecrets(id, payloadOf(found));
    },
    async findByUid(uid) {
      const found = await findRecordBy(pool, model, "uid", uid);
      return found && payloadOf(found);
    },
    async findByUserCode(userCode) {
      const found = await findRecordBy(pool, model, "user_code", userCode);
      return found && payloadOf(found);
    },
    async consume(id) {
      const earlier = await consumeRecord(pool, { model, id });
      if (earlier === undefined) return;
      // oidc-provider saw it unused a moment ago: somebody else shows the same at the same time.
      if (earlier.grantId !== null) await revokeGrant(earlier.grantId);
      throw model === "PushedAuthorizationRequest"
        ? new errors.InvalidRequestUri("the request_uri was used already")
        : new errors.InvalidGrant(`a ${model} was used already`);
    },
    destroy: (id) => removeRecord(pool, { model, id }),
    revokeByGrantId: (grantId) => removeRecordsOfGrant(pool, model, grantId),
  };
}

function payloadOf({ payload, consumedAt }: FoundRecord): AdapterPayload {
  return consumedAt === null ? payload : { ...payload, consumed: Math.floor(consumedAt) };
}

/** An interaction holds, besides its ID, an address that ends with it, and the session's cookie. */
function withoutSecrets(id: string, payload: AdapterPayload): StoredPayload {
  const { jti: _, consumed: __, returnTo, session, ...rest } = payload;
  const { cookie: ___, ...sessionRest } = session ?? {};
  const isOwnAddress = returnTo?.endsWith(id);
  return {
    ...rest,
    ...(session && { session: sessionRest as AdapterPayload["session"] }),
    ...(returnTo &&
      (isOwnAddress ? { returnToStart: returnTo.slice(0, -id.length) } : { returnTo })),
  };
}

function withSecrets(id: string, payload: StoredPayload): AdapterPayload {
  const { returnToStart, ...rest } = payload;
  return { ...rest, jti: id, ...(returnToStart && { returnTo: returnToStart + id }) };
}

interface StoredPayload extends AdapterPayload {
  returnToStart?: string;
}
