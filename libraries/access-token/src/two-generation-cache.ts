/** The limits of a cache. Each generation gets half of them. */
interface CacheLimits<Value> {
  readonly entriesMax: number;
  readonly bytesMax?: number;
  /** Estimates the memory of an entry. Must always return the same for the same entry. */
  readonly bytesOf?: (key: string, value: Value) => number;
}

/**
 * A cache that approximates LRU with two generations. New entries go into the young generation.
 * When that is full, it becomes the old one, and the entries of the previous old one are dropped
 * unless they were used since. A hit in the young generation, the usual case, changes nothing and
 * is fast.
 */
export class TwoGenerationCache<Value extends NonNullable<unknown>> {
  readonly #limits: CacheLimits<Value>;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #youngBytes = 0;

  constructor(limits: CacheLimits<Value>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Ignores an entry that is larger than a generation. */
  set(key: string, value: Value): void {
    this.delete(key);
    const { entriesMax, bytesMax = Number.POSITIVE_INFINITY } = this.#limits;
    const bytes = this.#bytesOf(key, value);
    if (bytes > bytesMax / 2) return;
    if (this.#young.size + 1 > entriesMax / 2 || this.#youngBytes + bytes > bytesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(ownCopy(key), value);
    this.#youngBytes += bytes;
  }

  delete(key: string): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#youngBytes -= this.#bytesOf(key, young);
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #bytesOf(key: string, value: Value): number {
    return this.#limits.bytesOf?.(key, value) ?? 0;
  }
}

/**
 * V8 may implement a substring as a reference to the larger text, such as the body of a request,
 * which would then stay in memory too.
 *
 * @param text well-formed
 */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
