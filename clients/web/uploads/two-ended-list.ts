/**
 * A list that is read from both ends, as cursors allow. Rows between the two parts are a gap, which
 * closes when the parts meet.
 */
import { type Page, PageChain, type PageRequest } from "./page-chain.ts";

/** Most pages whose rows are kept. The others are read again when they are needed. */
const keptPagesMax = 20;

/** How many rows stand for a gap of unknown size. */
const unknownGapRows = 40;

export type ListEnd = "start" | "end";

export interface ListRequest extends PageRequest {
  readonly from: ListEnd;
}

/** Indexes of the first and the last row, both included. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** How much the whole list of a search has. */
export interface Matches {
  readonly count: number;
  /** Whether there are no more than that. */
  readonly isExact: boolean;
  /** Undefined if the count is not exact. */
  readonly sizeBytes: number | undefined;
}

export class TwoEndedList<Row extends { readonly id: string }> {
  readonly #start = new PageChain<Row>();
  readonly #end = new PageChain<Row>();
  /** From totals of folders; an estimate, since uploads may be added meanwhile. */
  #expectedTotal: number | undefined;
  /** Whether the part from the end begins right after the other. */
  #hasMet = false;
  /** Whether that must be read again. */
  #isMeetingStale = false;
  #isEndRequested = false;
  #matches: Matches | undefined;

  /** What the service has counted. Undefined: nothing yet, or the list is not that of a search. */
  get matches(): Matches | undefined {
    return this.#matches;
  }

  /** The number of rows, those in the gap included. If it is not known, that is a guess. */
  get length(): number {
    const exact = this.total;
    if (exact !== undefined) return exact;
    if (this.#expectedTotal === undefined) return this.knownRows + unknownGapRows;
    return this.#seemsClosed ? this.knownRows : Math.max(this.#expectedTotal, this.knownRows + 1);
  }

  /** Both parts have all expected rows together. Whether they meet, only the next page shows. */
  get #seemsClosed(): boolean {
    const isOpen = this.total === undefined && this.#end.length > 0;
    return isOpen && this.knownRows === this.#expectedTotal;
  }

  /** The exact number of rows, once an end or the meeting of both parts was read. */
  get total(): number | undefined {
    if (this.#start.isComplete) return this.#start.length;
    if (this.#end.isComplete) return this.#end.length;
    return this.#hasMet ? this.knownRows : undefined;
  }

  /** Whether the length is the number of rows, not only a guess. */
  get isLengthKnown(): boolean {
    return this.total !== undefined || this.#expectedTotal !== undefined;
  }

  /** How many rows were found, from both ends. */
  get knownRows(): number {
    return this.#start.length + this.#end.length;
  }

  get hasAnswer(): boolean {
    return this.#start.pageCount + this.#end.pageCount > 0 || this.total !== undefined;
  }

  setExpectedTotal(total: number): void {
    this.#expectedTotal = total;
    // Rows were added or removed somewhere: perhaps between the parts.
    if (this.total !== total) this.#hasMet = false;
  }

  setMatches(matches: Matches): void {
    this.#matches = matches;
    if (matches.isExact) this.setExpectedTotal(matches.count);
  }

  /** Has every row read again when it is looked at: something in the list may have changed. */
  refresh(): void {
    this.#isMeetingStale = true;
    this.#start.refresh();
    this.#end.refresh();
  }

  /** From now on, rows near the end are read from the end. */
  requestEnd(): void {
    this.#isEndRequested = true;
  }

  row(index: number): Row | undefined {
    if (index < this.#start.length) return this.#start.row(index);
    return this.#end.row(this.length - 1 - index);
  }

  /** The index of a row that is kept; undefined if none has the ID. */
  indexOf(id: string): number | undefined {
    for (const { first, last } of this.#keptPages()) {
      for (let index = first; index <= last; index++) if (this.row(index)?.id === id) return index;
    }
    return undefined;
  }

  /** What to read next so that all rows of the range are known; undefined if they are. */
  nextRequest({ first, last }: RowRange): ListRequest | undefined {
    const isEndMissing = this.#isEndRequested && this.#end.length === 0;
    if (isEndMissing && this.total === undefined) return this.#requestFor(this.length - 1);
    const end = Math.min(last, this.length - 1);
    for (let index = Math.max(first, 0); index <= end; index++) {
      if (this.#isFresh(index)) continue;
      const request = this.#requestFor(index);
      if (request !== undefined) return request;
    }
    if (!this.#seemsClosed && !this.#needsMeeting({ first, last })) return undefined;
    const request = this.#start.requestFor(this.#start.length);
    return request && { ...request, from: "start" };
  }

  /** Whether rows may have been added between the parts, or to an empty list. */
  #needsMeeting({ first, last }: RowRange): boolean {
    if (this.length === 0) return true;
    const { length } = this.#start;
    return this.#hasMet && this.#isMeetingStale && first <= length && last >= length - 1;
  }

  #isFresh(index: number): boolean {
    if (index < this.#start.length) return this.#start.isFresh(index);
    return this.#end.isFresh(this.length - 1 - index);
  }

  #requestFor(index: number): ListRequest | undefined {
    const from = this.isFromEnd(index) ? "end" : "start";
    const request = this.#chain(from).requestFor(from === "end" ? this.length - 1 - index : index);
    return request && { ...request, from };
  }

  /** Whether the row is counted from the end: its index changes together with the length. */
  isFromEnd(index: number): boolean {
    const fromEnd = this.length - 1 - index;
    if (index < this.#start.length) return false;
    if (fromEnd < this.#end.length) return true;
    if (!this.#isEndRequested && !this.isLengthKnown) return false;
    // In the gap: the part that is nearer grows.
    return fromEnd - this.#end.length < index - this.#start.length;
  }

  #chain(from: ListEnd): PageChain<Row> {
    return from === "start" ? this.#start : this.#end;
  }

  accept({ from, ...request }: ListRequest, page: Page<Row>): void {
    const totalBefore = this.total;
    const chain = this.#chain(from);
    const other = this.#chain(from === "start" ? "end" : "start");
    if (chain.accept(request, page)) this.#meet(chain, other, page.rows);
    if (chain.isComplete) other.clear();
    if (this.total === undefined && totalBefore !== undefined) this.#expectedTotal = totalBefore;
  }

  /**
   * The parts meet when the last page of one has the row that is the farthest of the other. From
   * there on, the other has the rows.
   */
  #meet(chain: PageChain<Row>, other: PageChain<Row>, rows: readonly Row[]): void {
    this.#hasMet = false;
    if (chain.isComplete) return;
    const ids = new Set(rows.map(({ id }) => id));
    // That row may be gone.
    while (!ids.has(other.lastId ?? "") && other.lastPageHas(ids)) other.cutLastPage();
    const met = rows.findIndex(({ id }) => id === other.lastId);
    if (met === -1) return;
    chain.cutLastPage(met);
    this.#hasMet = true;
    this.#isMeetingStale = false;
  }

  /** Drops the rows of the pages that are farthest from the range, and have no pinned rows. */
  dropFarFrom({ first, last }: RowRange, pinned?: RowRange): void {
    const isPinned = (page: RowRange) =>
      pinned !== undefined && page.first <= pinned.last && page.last >= pinned.first;
    const others = [...this.#keptPages()].filter((page) => !isPinned(page));
    const kept = others.map((page) => ({
      ...page,
      distance: Math.max(page.first - last, first - page.last, 0),
    }));
    kept.sort((one, other) => one.distance - other.distance);
    for (const { from, page } of kept.slice(keptPagesMax)) this.#chain(from).drop(page);
  }

  *#keptPages(): Generator<RowRange & { readonly from: ListEnd; readonly page: number }> {
    for (const page of this.#start.keptPages()) yield { ...page, from: "start" };
    const bottom = this.length - 1;
    for (const { page, first, last } of this.#end.keptPages()) {
      yield { page, first: bottom - last, last: bottom - first, from: "end" };
    }
  }

  /** How many rows are kept. */
  get keptRows(): number {
    let count = 0;
    for (const { first, last } of this.#keptPages()) count += last - first + 1;
    return count;
  }
}
