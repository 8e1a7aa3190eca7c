/** For tests: an object store in memory, and a lister of it. */
import { setImmediate } from "node:timers/promises";
import { bytesOfKey, type Key } from "../keys.ts";
import type { LeftOut, ListedObject, ListedPage, Lister, ListingRange } from "../lister.ts";

interface StoredObject {
  readonly sizeBytes: number;
  readonly updatedAtMicros: bigint;
}

export class FakeStore {
  readonly objects = new Map<string, StoredObject>();
  /** Keys that listings report as unreadable instead of listing them, with what is below them. */
  readonly unreadable = new Set<string>();
  /** Called before each page; may throw, as a store does, or wait. */
  beforePage: (signal: AbortSignal) => void | Promise<void> = () => undefined;
  /** Keys after which ranges were listed. */
  readonly begunAfter: (Key | undefined)[] = [];
  #clock = 1_700_000_000_000_000n;

  /** Puts an object, or puts it again: its time changes in any case. */
  put(key: string, sizeBytes: number): void {
    this.#clock += 1_000_001n;
    this.objects.set(key, { sizeBytes, updatedAtMicros: this.#clock });
  }

  delete(key: string): void {
    this.objects.delete(key);
  }

  /** @param pageSize objects in a page. */
  lister({ pageSize, ranges = 1 }: { pageSize: number; ranges?: number }): Lister {
    return {
      ranges: async () => this.#ranges(ranges),
      list: (range, signal) => this.#list(range, pageSize, signal),
    };
  }

  #ranges(count: number): ListingRange[] {
    const keys = [...this.objects.keys()].toSorted(compareKeys);
    const cuts = Array.from({ length: count - 1 }, (_, index) =>
      keys.at(Math.floor(((index + 1) * keys.length) / count)),
    ).filter((key, index, all) => key !== undefined && all.indexOf(key) === index);
    return [...cuts, undefined].map((until, index) => ({ after: cuts[index - 1], until }));
  }

  async *#list(
    { after, until }: ListingRange,
    pageSize: number,
    signal: AbortSignal,
  ): AsyncGenerator<ListedPage> {
    this.begunAfter.push(after);
    for (let last = after; ; ) {
      await setImmediate();
      await this.beforePage(signal);
      const keys = [...this.objects.keys()]
        .toSorted(compareKeys)
        .filter((key) => last === undefined || compareKeys(key, last) > 0)
        .filter((key) => until === undefined || compareKeys(key, until) <= 0)
        .slice(0, pageSize);
      const lastKey = keys.at(-1);
      if (lastKey === undefined) return;
      const isUnreadable = (key: string) =>
        [...this.unreadable].some((each) => key.startsWith(each));
      yield {
        objects: keys.filter((key) => !isUnreadable(key)).map((key) => this.#listed(key)),
        leftOut: [...this.unreadable]
          .filter((key) => keys.some((each) => each.startsWith(key)))
          .map((key): LeftOut => ({ key, reason: "permission denied", isUnreadable: true })),
        lastKey,
      };
      last = lastKey;
    }
  }

  #listed(key: string): ListedObject {
    const { sizeBytes, updatedAtMicros } = this.objects.get(key) as StoredObject;
    const s3 = { etag: `"${updatedAtMicros}"`, storageClass: "STANDARD" };
    return { key, sizeBytes, createdAtMicros: undefined, updatedAtMicros, s3 };
  }
}

function compareKeys(a: Key, b: Key): number {
  return Buffer.compare(bytesOfKey(a), bytesOfKey(b));
}
