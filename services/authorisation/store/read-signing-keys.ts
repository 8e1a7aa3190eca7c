/** The keys that sign tokens, and the time by the database's clock at which they were read. */
import type pg from "pg";
import { type KeyTimes, keptAfterRetirementSeconds } from "../signing/key-times.ts";
import type { SealedKey } from "../signing/sealed-key.ts";

/** A key as stored. */
export interface StoredKey extends KeyTimes {
  /** SPKI. */
  readonly publicKeyPem: string;
  /** Gone once the key is out of the key set. */
  readonly sealedKey: SealedKey | undefined;
}

/** What was there at one moment. */
export interface KeysRead {
  readonly keys: readonly StoredKey[];
  readonly nowMs: number;
}

/**
 * Reads the keys, the oldest first.
 *
 * @param which `current`: those of the key set, and those whose private key should be gone by now;
 *   `all`: also those that were removed or withdrawn
 */
export async function readSigningKeys(
  database: pg.Pool | pg.ClientBase,
  which: "current" | "all",
): Promise<KeysRead> {
  const { rows } = await database.query<Row>({
    name: `read-${which}-signing-keys`,
    text: `${select} ${conditions[which]} order by created_at, key_id`,
  });
  const nowMs = rows[0]?.nowMs;
  if (nowMs === undefined) throw new Error("Cannot read the signing keys: got no row");
  return { nowMs, keys: rows.filter(({ keyId }) => keyId !== null).map(toStoredKey) };
}

/** One without a key says what time it is where there is none. */
interface Row {
  nowMs: number;
  keyId: string;
  createdAtMs: number;
  signsFromMs: number;
  retiredAtMs: number | null;
  withdrawnAtMs: number | null;
  publicKeyPem: string;
  encryptedPrivateKey: Buffer | null;
  encryptionKeyId: string | null;
}

function toStoredKey(row: Row): StoredKey {
  const { nowMs: _, retiredAtMs, withdrawnAtMs, ...key } = row;
  const { encryptedPrivateKey: bytes, encryptionKeyId, ...rest } = key;
  return {
    ...rest,
    retiredAtMs: retiredAtMs ?? undefined,
    withdrawnAtMs: withdrawnAtMs ?? undefined,
    sealedKey: bytes && encryptionKeyId ? { encryptionKeyId, bytes } : undefined,
  };
}

/** Whole milliseconds of Unix time. */
function milliseconds(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::float8`;
}

// A key of the version before is no key yet: see seal-plain-keys.ts.
const select = `
  select ${milliseconds("statement_timestamp()")} as "nowMs", key_id as "keyId",
    ${milliseconds("created_at")} as "createdAtMs", ${milliseconds("signs_from")} as "signsFromMs",
    ${milliseconds("retired_at")} as "retiredAtMs",
    ${milliseconds("withdrawn_at")} as "withdrawnAtMs", public_key_pem as "publicKeyPem",
    encrypted_private_key as "encryptedPrivateKey", encryption_key_id as "encryptionKeyId"
  from (values (1)) as one left join auth.signing_keys on public_key_pem is not null`;

const conditions = {
  current: `and withdrawn_at is null and (
    retired_at is null or encrypted_private_key is not null
    or retired_at > statement_timestamp() - interval '${keptAfterRetirementSeconds} seconds')`,
  all: "",
};
