import type { BucketAccess, BucketQuestion } from "./bucket-lookup.ts";

/** What is remembered, in all: one for an answer, one for each hidden folder in it. */
export const weightMax = 100_000;

/**
 * Answers to questions for buckets, so that they need not be asked before every list. Whether one
 * still holds is found out by the statement that reads by it.
 *
 * There are two halves: new answers go into the young one; when it is full it becomes the old half,
 * and what the old one held is forgotten unless it was asked for since.
 */
export class KnownAccess {
  #young = new Map<string, BucketAccess>();
  #old = new Map<string, BucketAccess>();
  #youngWeight = 0;

  find(question: BucketQuestion): BucketAccess | undefined {
    const key = keyOf(question);
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#add(key, old);
    return old;
  }

  /** `undefined`: the answer no longer holds, and nothing takes its place. */
  set(question: BucketQuestion, access: BucketAccess | undefined): void {
    const key = keyOf(question);
    this.#old.delete(key);
    const known = this.#young.get(key);
    if (known !== undefined && this.#young.delete(key)) this.#youngWeight -= weightOf(known);
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
  return 1 + hiddenFolders.length;
}

function keyOf({ organisationId, clientId, name }: BucketQuestion): string {
  // Neither of the first two is under our control; their lengths keep them apart.
  const whose = `${organisationId.length}:${organisationId}${clientId.length}:${clientId}`;
  if (name === "primary") return `${whose}primary`;
  return "bucketId" in name ? `${whose}id:${name.bucketId}` : `${whose}host:${name.hostname}`;
}
