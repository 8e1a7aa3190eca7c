/** For tests: an object store in memory, and a lister of it. */
import { setImmediate } from "node:timers/promises";
import { compareKeys, type Key } from "../keys.ts";
import {
  isInRange,
  type LeftOut,
  type ListedPage,
  type Lister,
  type Listing,
  type ListingRange,
  type Presence,
} from "../lister.ts";

interface StoredObject {
  readonly sizeBytes: number;
  readonly updatedAtMicros: bigint;
  /** Undefined: it follows from the time. */
  readonly etag?: string;
}

interface ListOptions {
  /** Objects in a page. */
  readonly pageSize: number;
  /** Whether ranges that are being listed can be divided. */
  readonly divides?: boolean;
}

/** What a listing says of an object that does not exist any more. */
const deletedObject: StoredObject = { sizeBytes: 1, updatedAtMicros: 1_600_000_000_000_000n };

export class FakeStore {
  readonly objects = new Map<string, StoredObject>();
  /** Keys that listings report as unreadable instead of listing them, with what is below them. */
  readonly unreadable = new Set<string>();
  /** Called before each page; may throw, as a store does, or wait. */
  beforePage: (signal: AbortSignal) => void | Promise<void> = () => undefined;
  /** Keys that listings leave out, although the store has them. */
  readonly hidden = new Set<string>();
  /** What listings have in place of the keys that the store has, for each page anew. */
  listedKeys = (keys: readonly string[]): readonly string[] => keys;
  /** Keys after which ranges were listed. */
  readonly begunAfter: (Key | undefined)[] = [];
  /** What the store answers when it is asked for a key. By default the truth. */
  presenceOf = (key: Key): Presence => {
    const { sizeBytes = 0 } = this.objects.get(String(key)) ?? {};
    const isFolder = String(key).endsWith("/") && sizeBytes === 0;
    return this.objects.has(String(key)) && !isFolder ? "present" : "absent";
  };
  #clock = 1_700_000_000_000_000n;

  /** Puts an object, or puts it again: its time changes in any case. */
  put(key: string, sizeBytes: number, etag?: string): void {
    this.#clock += 1_000_001n;
    this.objects.set(key, {
      sizeBytes,
      updatedAtMicros: this.#clock,
      ...(etag !== undefined && { etag }),
    });
  }

  /** As stores do: copies the object, and deletes the first one. */
  move(from: string, to: string): void {
    const { sizeBytes, s3 } = this.#listed(from);
    this.put(to, sizeBytes, s3.etag);
    this.delete(from);
  }

  delete(key: string): void {
    this.objects.delete(key);
  }

  lister({ ranges = 1, ...options }: ListOptions & { readonly ranges?: number }): Lister {
    return {
      ranges: () => this.#ranges(ranges),
      list: (range, signal) => this.#list(range, options, signal),
      find: async (keys) => keys.map((key) => this.presenceOf(key)),
      read: async (keys) => ({
        objects: keys
          .map(String)
          .flatMap((key) => (this.objects.has(key) ? this.#listed(key) : [])),
        leftOut: [],
      }),
    };
  }

  #ranges(count: number): ListingRange[] {
    const keys = [...this.objects.keys()].toSorted(compareKeys);
    const cuts = Array.from({ length: count - 1 }, (_, index) =>
      keys.at(Math.floor(((index + 1) * keys.length) / count)),
    ).filter((key, index, all) => key !== undefined && all.indexOf(key) === index);
    return [...cuts, undefined].map((until, index) => ({ after: cuts[index - 1], until }));
  }

  #list({ after, until }: ListingRange, options: ListOptions, signal: AbortSignal): Listing {
    this.begunAfter.push(after);
    const left: { after: Key | undefined; until: Key | undefined } = { after, until };
    const pages = this.#pages(left, options.pageSize, signal);
    if (!options.divides) return pages;
    const divideAt = (middle: string | undefined) => {
      if (middle === undefined || !isInRange(middle, left)) return undefined;
      const range = { after: middle, until: left.until };
      left.until = middle;
      return this.#list(range, options, signal);
    };
    const findDivision = async (onRequest: () => void) => {
      onRequest();
      const keys = this.#keysIn(left);
      const middle = keys[Math.floor(keys.length / 2)];
      await setImmediate();
      return () => divideAt(middle);
    };
    return { [Symbol.asyncIterator]: () => pages, findDivision };
  }

  /** `left` may shrink at any time. */
  async *#pages(
    left: { after: Key | undefined; readonly until: Key | undefined },
    pageSize: number,
    signal: AbortSignal,
  ): AsyncGenerator<ListedPage> {
    for (;;) {
      await setImmediate();
      await this.beforePage(signal);
      const keys = this.#keysIn(left).slice(0, pageSize);
      const lastKey = keys.at(-1);
      if (lastKey === undefined) return;
      left.after = lastKey;
      const isUnreadable = (key: string) =>
        [...this.unreadable].some((each) => key.startsWith(each));
      yield {
        objects: keys.filter((key) => !isUnreadable(key)).map((key) => this.#listed(key)),
        leftOut: [...this.unreadable]
          .filter((key) => keys.some((each) => each.startsWith(key)))
          .map((key): LeftOut => ({ key, reason: "permission denied", isUnreadable: true })),
      };
    }
  }

  #keysIn(range: ListingRange): string[] {
    const listed = this.listedKeys([...this.objects.keys()].filter((key) => !this.hidden.has(key)));
    return listed.toSorted(compareKeys).filter((key) => isInRange(key, range));
  }

  #listed(key: string) {
    const { sizeBytes, updatedAtMicros, etag } = this.objects.get(key) ?? deletedObject;
    const s3 = { etag: etag ?? `"${updatedAtMicros}"`, storageClass: "STANDARD" };
    return { key, sizeBytes, createdAtMicros: undefined, updatedAtMicros, s3 };
  }
}
