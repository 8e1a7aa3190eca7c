import type { DenylistEntry } from "../denylist/denylist.ts";
import { DeniedTokens, expiryGraceSeconds } from "../denylist/memory-denylist.ts";
import { clockToleranceSecondsMax, denylistEntriesMax, denylistSweepSeconds } from "../limits.ts";
import type { PostgresQueryable } from "./connection.ts";
import { firstSnapshot, type Page, readEntries } from "./read-entries.ts";

/** The table has more entries than a server may hold in memory. */
export class DenylistTooLargeError extends Error {
  override readonly name = "DenylistTooLargeError";
}

export interface EntriesRead {
  /** Whether all entries were read, and not only the new ones. */
  readonly isWhole: boolean;
  readonly entries: number;
}

type Position = Omit<Page, "entries">;

/** The entries read so far, and the position in the table up to which they were read. */
export class DenylistReplica {
  readonly #now: () => number;
  readonly #entriesMax: number;
  #denied = new DeniedTokens();
  /** Replaces `#denied` when all entries have been read. */
  #loading: DeniedTokens | undefined;
  #position: Position | undefined;
  #latestSeconds = 0;
  #sweptAtSeconds = 0;

  /** @param now Unix time in milliseconds */
  constructor(now: () => number, entriesMax: number = denylistEntriesMax) {
    this.#now = now;
    this.#entriesMax = entriesMax;
  }

  get denied(): DeniedTokens {
    return this.#denied;
  }

  /**
   * Adds an entry that is stored but may not have been read yet. It is in force even if there are
   * too many entries. In that case the next read fails. Adding does not.
   */
  add(entry: DenylistEntry): void {
    this.#denied.add(entry);
    this.#loading?.add(entry);
  }

  /**
   * Makes the next read a full one, which also drops deleted entries. Needed for each new
   * connection, which may lead to another server: a promoted standby, or a restored backup.
   */
  reset(): void {
    this.#position = undefined;
  }

  /**
   * Reads every entry that was committed before the read began. If it rejects, no known entry is
   * lost, and the next read starts from the same position.
   */
  async read(database: PostgresQueryable): Promise<EntriesRead> {
    this.#checkClock();
    const since = this.#position;
    if (since !== undefined) {
      return { isWhole: false, entries: await this.#take(database, this.#denied, since) };
    }
    this.#loading = new DeniedTokens();
    try {
      const entries = await this.#take(database, this.#loading);
      this.#denied = this.#loading;
      return { isWhole: true, entries };
    } finally {
      this.#loading = undefined;
    }
  }

  async #take(
    database: PostgresQueryable,
    denied: DeniedTokens,
    since?: Position,
  ): Promise<number> {
    const expiresFrom = Math.floor(this.#nowSeconds) - expiryGraceSeconds;
    const snapshot = since?.snapshot ?? firstSnapshot;
    let first: Position | undefined;
    let count = 0;
    for await (const { entries, ...position } of readEntries(database, { snapshot, expiresFrom })) {
      first ??= position;
      // A pooler or proxy can switch to another server without closing the connection.
      if (position.source !== (since ?? first).source) {
        throw new Error("Cannot follow the denylist: its server or its table has been replaced");
      }
      for (const entry of entries) this.#hold(entry, denied);
      count += entries.length;
    }
    this.#position = first;
    return count;
  }

  #hold(entry: DenylistEntry, denied: DeniedTokens): void {
    denied.add(entry);
    if (denied.size <= this.#entriesMax) return;
    denied.removeExpired(this.#nowSeconds);
    if (denied.size <= this.#entriesMax) return;
    throw new DenylistTooLargeError(
      `Cannot hold the denylist: it has more than ${this.#entriesMax} entries`,
    );
  }

  #checkClock(): void {
    const nowSeconds = this.#nowSeconds;
    // A clock that is set back makes tokens valid again whose entries may have been removed.
    if (nowSeconds < this.#latestSeconds - clockToleranceSecondsMax) {
      this.reset();
      this.#latestSeconds = nowSeconds;
      this.#sweptAtSeconds = nowSeconds;
    }
    this.#latestSeconds = Math.max(nowSeconds, this.#latestSeconds);
    if (nowSeconds < this.#sweptAtSeconds + denylistSweepSeconds) return;
    this.#sweptAtSeconds = nowSeconds;
    this.#denied.removeExpired(nowSeconds);
  }

  get #nowSeconds(): number {
    return this.#now() / 1000;
  }
}
