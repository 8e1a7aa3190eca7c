/**
 * The pages of a list in one direction, from one of its ends.
 *
 * A page can be read only by the cursor that the page before it returned. So places and cursors of
 * all pages are kept, and the rows of most are dropped: they are read again when they are needed.
 */

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
  readonly count: number;
  readonly cursor: string;
  readonly lastId: string;
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
  #nextCursor = "";
  #isComplete = false;

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
    if (this.#pages.length === 0) this.#isComplete = false;
  }

  /** What to read so that the row is known. Past the rows found, that is the next page. */
  requestFor(index: number): PageRequest | undefined {
    const page = this.#pageOf(index);
    const place = this.#pages[page];
    if (place !== undefined) return { page, cursor: place.cursor, pageSize: place.count };
    if (this.#isComplete) return undefined;
    const pageSize = pageSizes[Math.min(this.#pages.length, pageSizes.length - 1)] ?? 0;
    return { page: this.#pages.length, cursor: this.#nextCursor, pageSize };
  }

  /**
   * Takes in an answer. A page that is read again must end where it ended before. If it does not,
   * the list has changed there, and the pages after it are forgotten: their rows would be shown
   * twice or never. Returns the index of the first row of the page.
   */
  accept({ page, cursor }: PageRequest, { rows, nextCursor }: Page<Row>): number {
    const before = this.#pages[page];
    const start = before?.start ?? this.length;
    const lastId = rows.at(-1)?.id ?? "";
    const isSame = before?.lastId === lastId && before.count === rows.length;
    if (isSame && nextCursor !== "" && page < this.#pages.length - 1) {
      before.rows = rows;
      before.isStale = false;
      return start;
    }
    this.#pages.length = page;
    const place = { start, count: rows.length, cursor, lastId, rows, isStale: false };
    if (rows.length > 0) this.#pages.push(place);
    this.#nextCursor = nextCursor;
    this.#isComplete = nextCursor === "";
    return start;
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
