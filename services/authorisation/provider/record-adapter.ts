/** One model of oidc-provider's as records in the database. */
import type { Adapter, AdapterPayload } from "oidc-provider";
import type pg from "pg";
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
import { errors } from "./library.ts";

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
