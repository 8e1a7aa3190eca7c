/** Reads a list as it is looked at: the rows in view and a little beyond, one page at a time. */
import type { Page } from "./page-chain.ts";
import { type ListRequest, type Matches, type RowRange, TwoEndedList } from "./two-ended-list.ts";

/** How many rows beyond the view are read before they are looked at. */
const aheadRows = 20;

/** Who goes on typing looks at no count: it begins when the rows have been there so long. */
const countDelayMsUsual = 500;

/** How often a list whose cursors have become invalid begins anew before that is an error. */
const restartsMax = 3;

interface ListReaderOptions<Row> {
  readonly readPage: (request: ListRequest, signal: AbortSignal) => Promise<Page<Row>>;
  /**
   * Counts the list of a search that begins with a page. If that fails, only rows that were read
   * are counted.
   */
  readonly countMatches?: ((first: Page<Row>, signal: AbortSignal) => Promise<Matches>) | undefined;
  readonly countDelayMs?: number;
  /** Whether the cursors of the list are no longer valid. */
  readonly isMismatch: (error: unknown) => boolean;
}

/** What is known of a list. Another object whenever that has changed. */
interface ListState<Row extends { readonly id: string }> {
  readonly list: TwoEndedList<Row>;
  /** Why the last page could not be read. */
  readonly error: unknown;
}

export class ListReader<Row extends { readonly id: string }> {
  readonly #options: ListReaderOptions<Row>;
  readonly #listeners = new Set<() => void>();
  #state: ListState<Row> = { list: new TwoEndedList(), error: undefined };
  #visibleRange: RowRange = { first: 0, last: 0 };
  #expectedTotal: number | undefined;
  /** Rows to read and keep although they are not in view: those of a selection, at most. */
  #pinnedRange: RowRange | undefined;
  #abort: AbortController | undefined;
  #countAbort: AbortController | undefined;
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the list has changed since the call under way began: its answer may be too old. */
  #isOutdated = false;
  #restarts = 0;
  #isStarted = false;

  constructor(options: ListReaderOptions<Row>) {
    this.#options = options;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): ListState<Row> => this.#state;

  /** Begins to read, or continues after `stop()`. */
  start(): void {
    this.#isStarted = true;
    this.#read();
  }

  /** Cancels the calls under way. */
  stop(): void {
    this.#isStarted = false;
    this.#abort?.abort();
    this.#abort = undefined;
    this.#stopCounting();
  }

  /** Tells which rows are in view. */
  setVisibleRange(range: RowRange): void {
    this.#visibleRange = range;
    this.#state.list.dropFarFrom(range, this.#pinnedRange);
    if (this.#state.error === undefined) this.#read();
  }

  /** Tells how many rows there probably are. */
  setExpectedTotal(total: number): void {
    if (this.#expectedTotal === total) return;
    this.#expectedTotal = total;
    this.#state.list.setExpectedTotal(total);
    this.#change({});
  }

  /** Reads the last rows, to show them before all others are read. */
  requestEnd(): void {
    this.#state.list.requestEnd();
  }

  /** Reads rows that are not in view too, and keeps them; undefined: no longer. */
  setPinnedRange(range: RowRange | undefined): void {
    this.#pinnedRange = range;
    if (this.#state.error === undefined) this.#read();
  }

  /** Reads again what is in view, since something in the list has changed. */
  refresh(): void {
    this.#isOutdated = true;
    this.#state.list.refresh();
    this.#read();
  }

  /** Reads again after an error. The list may begin anew as often as at first. */
  retry(): void {
    this.#restarts = 0;
    this.#change({ error: undefined });
    this.#read();
  }

  #read(): void {
    if (!this.#isStarted || this.#abort !== undefined) return;
    const request = this.#nextRequest();
    if (request === undefined) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.#isOutdated = false;
    this.#options.readPage(request, abort.signal).then(
      (page) => this.#settle(abort, () => this.#accept(request, page)),
      (error: unknown) => this.#settle(abort, () => this.#fail(error)),
    );
  }

  #nextRequest(): ListRequest | undefined {
    const { list } = this.#state;
    const { first, last } = this.#visibleRange;
    const inView = list.nextRequest({ first: first - aheadRows, last: last + aheadRows });
    return inView ?? (this.#pinnedRange && list.nextRequest(this.#pinnedRange));
  }

  /** Ignores answers of calls that were cancelled. */
  #settle(abort: AbortController, settle: () => void): void {
    if (this.#abort !== abort) return;
    this.#abort = undefined;
    settle();
  }

  #accept(request: ListRequest, page: Page<Row>): void {
    const { list } = this.#state;
    list.accept(request, page);
    // Its rows are shown until they are read again. If the call were cancelled instead, a slow list
    // that changes often would show nothing.
    if (this.#isOutdated) list.refresh();
    list.dropFarFrom(this.#visibleRange, this.#pinnedRange);
    this.#change({ error: undefined });
    // Counting can take longer than a page: the first rows do not wait for it.
    if (request.cursor === "") this.#countLater(page);
    // Listeners may look at other rows now, which are told before more is read.
    queueMicrotask(() => this.#read());
  }

  #countLater(first: Page<Row>): void {
    const { countMatches, countDelayMs = countDelayMsUsual } = this.#options;
    this.#stopCounting();
    if (countMatches === undefined) return;
    const delayMs = first.nextCursor === "" ? 0 : countDelayMs;
    const count = (signal: AbortSignal) => countMatches(first, signal);
    this.#countTimer = setTimeout(() => this.#count(count), delayMs);
  }

  #stopCounting(): void {
    clearTimeout(this.#countTimer);
    this.#countAbort?.abort();
  }

  #count(countMatches: (signal: AbortSignal) => Promise<Matches>): void {
    const abort = new AbortController();
    this.#countAbort = abort;
    const { list } = this.#state;
    countMatches(abort.signal).then(
      (matches) => {
        if (abort.signal.aborted) return;
        list.setMatches(matches);
        this.#change({});
      },
      () => undefined,
    );
  }

  #fail(error: unknown): void {
    if (!this.#options.isMismatch(error) || this.#restarts === restartsMax) {
      this.#change({ error });
      return;
    }
    this.#restarts += 1;
    const list = new TwoEndedList<Row>();
    if (this.#expectedTotal !== undefined) list.setExpectedTotal(this.#expectedTotal);
    this.#change({ list });
    this.#read();
  }

  #change(change: Partial<ListState<Row>>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
