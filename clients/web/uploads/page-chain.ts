/**
 * The pages of a list in one direction, from one of its ends.
 *
 * A page can be read only by the cursor that the page before it returned. So places and cursors of
 * all pages are kept, and the rows of most are dropped: they are read again when they are needed.
 */
import { replaceEqualDeep } from "@tanstack/react-query";

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Empty if there are no more rows. */
  readonly nextCursor: string;
}

/** What to read next: the page with this number. */
export interface PageRequest {
  readonly page: number;
  readonly cursor: string;
  readonly pageSize: number;
}

interface Place<Row> {
  readonly start: number;
  count: number;
  readonly cursor: string;
  lastId: string;
  rows: readonly Row[] | undefined;
  /** Whether the rows must be read again, since the list has changed somewhere. */
  isStale: boolean;
}

/**
 * Small first pages are shown sooner: they are twice what most windows show, because a little more
 * than that is read. Large pages scroll with fewer calls.
 */
const pageSizes = [50, 500, 1000] as const;

export class PageChain<Row extends { readonly id: string }> {
  readonly #pages: Place<Row>[] = [];
  /** Undefined if it is not known, because the last page was cut. */
  #nextCursor: string | undefined = "";
  #isComplete = false;
  /** Whether it must be read again that there are no rows. */
  #isEmptyStale = false;

  /** How many rows were found from this end on, kept or dropped. */
  get length(): number {
    const last = this.#pages.at(-1);
    return last === undefined ? 0 : last.start + last.count;
  }

  /** Whether the last page was read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The ID of the row that is farthest from this end. */
  get lastId(): string | undefined {
    return this.#pages.at(-1)?.lastId;
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  row(index: number): Row | undefined {
    const page = this.#pages[this.#pageOf(index)];
    return page?.rows?.[index - page.start];
  }

  /** Whether the row need not be read. */
  isFresh(index: number): boolean {
    const place = this.#pages[this.#pageOf(index)];
    return place?.rows !== undefined && !place.isStale;
  }

  /** Has every page read again when it is looked at. Until then, its rows stay. */
  refresh(): void {
    for (const place of this.#pages) place.isStale = true;
    this.#isEmptyStale = this.#pages.length === 0;
  }

  /** Forgets everything. */
  clear(): void {
    this.#pages.length = 0;
    this.#nextCursor = "";
    this.#isComplete = false;
  }

  /** What to read so that the row is known. Past the rows found, that is the next page. */
  requestFor(index: number): PageRequest | undefined {
    const page = this.#pageOf(index);
    const place = this.#pages[page];
    if (place !== undefined) return { page, cursor: place.cursor, pageSize: place.count };
    if (this.#isComplete && !this.#isEmptyStale) return undefined;
    if (this.#nextCursor === undefined) return this.requestFor(this.length - 1);
    const pageSize = pageSizes[Math.min(this.#pages.length, pageSizes.length - 1)] ?? 0;
    return { page: this.#pages.length, cursor: this.#nextCursor, pageSize };
  }

  /**
   * Takes in an answer. A page that is read again must end where it ended before. If it does not,
   * the list has changed there, and the pages after it are forgotten: their rows would be shown
   * twice or never. Rows that have not changed stay the same objects. Returns whether the page is
   * new or ends elsewhere: it is the last one then.
   */
  accept({ page, cursor }: PageRequest, answer: Page<Row>): boolean {
    const before = this.#pages[page];
    const rows = replaceEqualDeep(before?.rows ?? [], answer.rows);
    const lastId = rows.at(-1)?.id ?? "";
    const isSame = before?.lastId === lastId && before.count === rows.length;
    if (isSame && answer.nextCursor !== "" && page < this.#pages.length - 1) {
      before.rows = rows;
      before.isStale = false;
      return false;
    }
    const start = before?.start ?? this.length;
    this.#pages.length = page;
    const place = { start, count: rows.length, cursor, lastId, rows, isStale: false };
    if (rows.length > 0) this.#pages.push(place);
    this.#nextCursor = answer.nextCursor;
    this.#isComplete = answer.nextCursor === "";
    this.#isEmptyStale = false;
    return !isSame;
  }

  /** Whether a row of the last page, as far as it is kept, has one of the IDs. */
  lastPageHas(ids: ReadonlySet<string>): boolean {
    return this.#pages.at(-1)?.rows?.some(({ id }) => ids.has(id)) === true;
  }

  /** Forgets the rows of the last page from one on: all of them by default. */
  cutLastPage(count = 0): void {
    const place = this.#pages.at(-1);
    if (place === undefined) return;
    this.#isComplete = false;
    if (count === 0) {
      this.#pages.pop();
      this.#nextCursor = place.cursor;
      return;
    }
    place.rows = place.rows?.slice(0, count);
    place.count = count;
    place.lastId = place.rows?.at(-1)?.id ?? "";
    this.#nextCursor = undefined;
  }

  /** The pages whose rows are kept, as ranges of indexes. */
  *keptPages(): Generator<{
    readonly page: number;
    readonly first: number;
    readonly last: number;
  }> {
    for (const [page, { rows, start, count }] of this.#pages.entries()) {
      if (rows !== undefined) yield { page, first: start, last: start + count - 1 };
    }
  }

  drop(page: number): void {
    const place = this.#pages[page];
    if (place !== undefined) place.rows = undefined;
  }

  /** The number of the page with this row; the number of pages if none has it. */
  #pageOf(index: number): number {
    let low = 0;
    let high = this.#pages.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const place = this.#pages[middle];
      if (place !== undefined && place.start + place.count <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
