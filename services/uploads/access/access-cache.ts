import type { BucketAccess, BucketLookup } from "./bucket-lookup.ts";

/** The most that is cached: 1 for each lookup, and 2 for each hidden folder in its result. */
export const weightMax = 100_000;

/**
 * Caches the results of bucket lookups, so that most lists begin without one. The statement that
 * relies on a cached result checks whether it is still valid.
 *
 * The cache has two halves. New results go into the young half. When that is full it becomes the
 * old half, and the results in the former old half that were not used since are dropped.
 */
export class AccessCache {
  #young = new Map<string, BucketAccess>();
  #old = new Map<string, BucketAccess>();
  #youngWeight = 0;

  find(lookup: BucketLookup): BucketAccess | undefined {
    const key = keyOf(lookup);
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#add(key, old);
    return old;
  }

  /** Replaces the result; undefined removes it. */
  set(lookup: BucketLookup, access: BucketAccess | undefined): void {
    const key = keyOf(lookup);
    this.#old.delete(key);
    const cached = this.#young.get(key);
    if (cached !== undefined && this.#young.delete(key)) this.#youngWeight -= weightOf(cached);
    if (access !== undefined) this.#add(key, access);
  }

  #add(key: string, access: BucketAccess): void {
    const weight = weightOf(access);
    if (weight > weightMax / 2) return;
    if (this.#youngWeight + weight > weightMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, access);
    this.#youngWeight += weight;
  }
}

function weightOf({ hiddenFolders }: BucketAccess): number {
  // A hidden folder also divides a range of the visibility.
  return 1 + 2 * hiddenFolders.length;
}

function keyOf({ organisationId, clientId, name }: BucketLookup): string {
  // IDs may contain any character. Their lengths show where each one ends.
  const caller = `${organisationId.length}:${organisationId}${clientId.length}:${clientId}`;
  if (name === "primary") return `${caller}primary`;
  return "bucketId" in name ? `${caller}id:${name.bucketId}` : `${caller}host:${name.hostname}`;
}
