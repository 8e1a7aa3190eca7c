/**
 * How a store sends hints of changes to a source: with a secret, of which only the hash is stored,
 * or through a queue.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Queries, query } from "../../postgres/named-parameters.ts";
import type { Location, SourceId } from "../source.ts";

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Replaces the secret, and returns it. */
export async function makeHintSecret(database: Queries, source: SourceId): Promise<string> {
  const secret = randomBytes(32).toString("base64url");
  await storeHash(database, source, hashOf(secret));
  return secret;
}

export async function removeHints(database: Queries, source: SourceId): Promise<void> {
  await storeHash(database, source, null);
  await setHintQueue(database, source, null);
}

export async function setHintQueue(
  database: Queries,
  { bucketId, sourceId }: SourceId,
  queue: string | null,
): Promise<void> {
  await query(
    database,
    `update uploads.sources set hint_queue = :queue, hint_failure = ''
     where bucket_id = :bucketId and source_id = :sourceId`,
    { bucketId, sourceId, queue },
  );
}

async function storeHash(
  database: Queries,
  { bucketId, sourceId }: SourceId,
  hash: Buffer | null,
): Promise<void> {
  await query(
    database,
    `update uploads.sources set hint_secret_hash = :hash
     where bucket_id = :bucketId and source_id = :sourceId`,
    { bucketId, sourceId, hash },
  );
}

interface HintedSource {
  readonly name: string;
  readonly location: Location;
}

/** The source, if the secret is right. */
export async function findHintedSource(
  database: Queries,
  sourceId: string,
  secret: string,
): Promise<HintedSource | undefined> {
  const { rows } = await query<HintedSource & { hash: Buffer }>(
    database,
    `select name, location, hint_secret_hash as hash from uploads.sources
     where source_id = :sourceId and hint_secret_hash is not null`,
    { sourceId },
  );
  const [source] = rows;
  return source && timingSafeEqual(source.hash, hashOf(secret)) ? source : undefined;
}
