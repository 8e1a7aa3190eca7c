import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Page } from "./page-chain.ts";
import { type ListRequest, type RowRange, TwoEndedList } from "./two-ended-list.ts";

interface Row {
  readonly id: string;
  readonly key: number;
}

/** Most pages that a list keeps, as the list has it. */
const keptPagesMax = 20;

/** A service with rows of these keys, whose pages may have fewer rows than asked for. */
class Service {
  keys: number[];
  readonly pageMax: number;

  constructor(count: number, pageMax: number) {
    this.keys = Array.from({ length: count }, (_, key) => key * 2);
    this.pageMax = pageMax;
  }

  addOrRemove(key: number): void {
    this.keys = this.keys.includes(key)
      ? this.keys.filter((other) => other !== key)
      : ascending([...this.keys, key]);
  }

  read({ from, cursor, pageSize }: ListRequest): Page<Row> {
    const keys = from === "start" ? this.keys : this.keys.toReversed();
    const after = cursor === "" ? undefined : Number(cursor);
    const isLater = (key: number) =>
      after === undefined || (from === "start" ? key > after : key < after);
    const rest = keys.filter(isLater);
    const page = rest.slice(0, Math.min(pageSize, this.pageMax));
    const nextCursor = page.length < rest.length ? String(page.at(-1)) : "";
    return { rows: page.map((key) => ({ id: `id ${key}`, key })), nextCursor };
  }
}

function ascending(keys: Iterable<number>): number[] {
  return [...keys].sort((one, other) => one - other);
}

function keptKeys(list: TwoEndedList<Row>): number[] {
  return Array.from({ length: list.length }, (_, index) => list.row(index)?.key ?? -1).filter(
    (key) => key >= 0,
  );
}

/** Looks at rows as the page does: reads until all rows in view are known. Returns their keys. */
function look(list: TwoEndedList<Row>, service: Service, view: RowRange): (number | undefined)[] {
  const callsMax = 2 * (service.keys.length + 10);
  for (let calls = 0; ; calls++) {
    assert.ok(calls <= callsMax, "reads without end");
    const request = list.nextRequest(view);
    if (request === undefined) break;
    list.accept(request, service.read(request));
    list.dropFarFrom(view);
    assert.ok(list.keptRows <= keptPagesMax * service.pageMax, "keeps too many rows");
  }
  const last = Math.min(view.last, list.length - 1);
  return Array.from({ length: Math.max(last - view.first + 1, 0) }, (_, offset) => {
    return list.row(view.first + offset)?.key;
  });
}

const counts = fc.integer({ min: 0, max: 400 });
const pageMaxima = fc.integer({ min: 1, max: 30 });
const places = fc.array(fc.nat({ max: 400 }), { maxLength: 5 });
const viewRows = 7;

/** Looks at one row after the other. Returns their keys. */
function walk(list: TwoEndedList<Row>, service: Service): (number | undefined)[] {
  // Also if there are none: some may have been added.
  look(list, service, { first: 0, last: 0 });
  const seen: (number | undefined)[] = [];
  for (let first = 0; first < list.length; first += viewRows) {
    seen.push(...look(list, service, { first, last: first + viewRows - 1 }));
  }
  return seen;
}

/** A list that was read completely, with or without a part from the end. */
function readList(service: Service, { isEndRead }: { readonly isEndRead: boolean }) {
  const list = new TwoEndedList<Row>();
  if (isEndRead) {
    look(list, service, { first: 0, last: viewRows });
    list.requestEnd();
  }
  walk(list, service);
  return list;
}

function rowsOf(list: TwoEndedList<Row>): (Row | undefined)[] {
  return Array.from({ length: list.length }, (_, index) => list.row(index));
}

describe("a list that is read from both ends", () => {
  it("shows every row once, in order, as one scrolls down and up again", () => {
    fc.assert(
      fc.property(counts, pageMaxima, fc.boolean(), (count, pageMax, isExpected) => {
        const service = new Service(count, pageMax);
        const list = new TwoEndedList<Row>();
        if (isExpected) list.setExpectedTotal(count);
        const seen: (number | undefined)[] = [];
        for (let first = 0; first < list.length; first += viewRows) {
          seen.push(...look(list, service, { first, last: first + viewRows - 1 }));
        }
        assert.deepEqual(seen, service.keys);
        assert.equal(list.total, count);
        const seenAgain: (number | undefined)[] = [];
        for (let last = count - 1; last >= 0; last -= viewRows) {
          const first = Math.max(last - viewRows + 1, 0);
          seenAgain.unshift(...look(list, service, { first, last }));
        }
        assert.deepEqual(seenAgain, service.keys);
      }),
    );
  });

  it("shows the right rows wherever one jumps, if the total is known", () => {
    const jumps = fc.array(fc.nat({ max: 1000 }), { maxLength: 12 });
    fc.assert(
      fc.property(counts, pageMaxima, jumps, (count, pageMax, places) => {
        const service = new Service(count, pageMax);
        const list = new TwoEndedList<Row>();
        list.setExpectedTotal(count);
        for (const place of places) {
          const first = Math.floor((place / 1000) * Math.max(count - viewRows, 0));
          const expected = service.keys.slice(first, first + viewRows);
          assert.deepEqual(look(list, service, { first, last: first + viewRows - 1 }), expected);
        }
      }),
    );
  });

  it("shows the last rows after one page, whether the total is known or not", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 400 }), fc.boolean(), (count, isExpected) => {
        const service = new Service(count, 30);
        const list = new TwoEndedList<Row>();
        if (isExpected) list.setExpectedTotal(count);
        look(list, service, { first: 0, last: viewRows });
        list.requestEnd();
        const request = list.nextRequest({ first: list.length - 30, last: list.length - 1 });
        assert.deepEqual([request?.from, request?.cursor], ["end", ""]);
        if (request !== undefined) list.accept(request, service.read(request));
        assert.equal(list.row(list.length - 1)?.key, service.keys.at(-1));
        for (const key of keptKeys(list)) {
          assert.equal(list.row(list.indexOf(`id ${key}`) ?? -1)?.key, key);
        }
        assert.equal(list.indexOf("id of none"), undefined);
      }),
    );
  });

  it("joins both parts where they meet, if the total is wrong or unknown", () => {
    const guesses = fc.option(fc.nat({ max: 500 }), { nil: undefined });
    fc.assert(
      fc.property(counts, pageMaxima, guesses, (count, pageMax, guess) => {
        const service = new Service(count, pageMax);
        const list = new TwoEndedList<Row>();
        if (guess !== undefined) list.setExpectedTotal(guess);
        look(list, service, { first: 0, last: viewRows });
        list.requestEnd();
        look(list, service, { first: list.length - viewRows, last: list.length - 1 });
        for (let first = 0; first < list.length; first += viewRows) {
          look(list, service, { first, last: first + viewRows - 1 });
        }
        assert.equal(list.total, count);
        const all = Array.from({ length: count }, (_, index) =>
          look(list, service, { first: index, last: index }),
        );
        assert.deepEqual(all.flat(), service.keys);
      }),
    );
  });

  it("shows no row twice while rows are added and removed between the pages", () => {
    const steps = fc.array(
      fc.record({ first: fc.nat({ max: 400 }), change: fc.nat({ max: 900 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(counts, pageMaxima, steps, (count, pageMax, changes) => {
        const service = new Service(count, pageMax);
        const list = new TwoEndedList<Row>();
        for (const { first, change } of changes) {
          look(list, service, { first, last: first + viewRows - 1 });
          service.addOrRemove(change);
          const kept = keptKeys(list);
          assert.deepEqual(kept, ascending(new Set(kept)));
        }
      }),
    );
  });

  it("keeps its rows while they are read again and have not changed", () => {
    fc.assert(
      fc.property(counts, pageMaxima, fc.boolean(), places, (count, pageMax, isEndRead, firsts) => {
        const service = new Service(count, pageMax);
        const list = readList(service, { isEndRead });
        const before = rowsOf(list);
        for (const first of firsts) {
          list.refresh();
          look(list, service, { first, last: first + viewRows - 1 });
          assert.deepEqual([list.length, list.total], [count, count]);
          // Pages that are far from the view are dropped.
          const kept = (row: Row | undefined, index: number) => row ?? before[index];
          assert.deepEqual(
            rowsOf(list).map(kept),
            before.map((row, index) => row ?? list.row(index)),
          );
        }
      }),
    );
  });

  it("keeps the objects of rows that have not changed, so that they are not drawn again", () => {
    const service = new Service(20, 30);
    const list = readList(service, { isEndRead: false });
    const before = rowsOf(list);
    service.addOrRemove(38);
    list.refresh();
    look(list, service, { first: 0, last: viewRows });
    assert.equal(list.length, 19);
    assert.ok(rowsOf(list).every((row, index) => row === before[index]));
  });

  it("keeps everything until it is read again", () => {
    fc.assert(
      fc.property(counts, pageMaxima, fc.boolean(), (count, pageMax, isEndRead) => {
        const list = readList(new Service(count, pageMax), { isEndRead });
        const before = rowsOf(list);
        list.refresh();
        assert.deepEqual([list.length, list.total, list.hasAnswer], [count, count, true]);
        assert.deepEqual(rowsOf(list), before);
      }),
    );
  });

  it("shows what has changed once it is refreshed", () => {
    const rounds = fc.array(fc.array(fc.nat({ max: 900 }), { maxLength: 5 }), { maxLength: 3 });
    fc.assert(
      fc.property(
        counts,
        pageMaxima,
        fc.boolean(),
        rounds,
        (count, pageMax, isEndRead, changes) => {
          const service = new Service(count, pageMax);
          const list = readList(service, { isEndRead });
          for (const keys of changes) {
            for (const key of keys) service.addOrRemove(key);
            list.refresh();
            // Rows that were looked at before may move when the others are read.
            walk(list, service);
            assert.deepEqual(walk(list, service), service.keys);
            assert.equal(list.total, service.keys.length);
          }
        },
      ),
    );
  });

  it("finds the end of a list that has become shorter than the folders say", () => {
    const service = new Service(5, 10);
    const list = new TwoEndedList<Row>();
    list.setExpectedTotal(50);
    look(list, service, { first: 0, last: viewRows });
    assert.equal(list.length, 5);
    assert.equal(list.isLengthKnown, true);
  });

  it("is as long as the service has counted, if that is exact", () => {
    const request = { from: "start", page: 0, cursor: "", pageSize: 1 } as const;
    for (const isExact of [true, false]) {
      const list = new TwoEndedList<Row>();
      const matches = { count: 500, isExact, sizeBytes: undefined };
      list.accept(request, { rows: [{ id: "a", key: 1 }], nextCursor: "b" });
      list.setMatches(matches);
      assert.deepEqual(list.matches, matches);
      assert.equal(list.isLengthKnown, isExact);
      if (isExact) assert.equal(list.length, 500);
    }
  });

  it("has nothing to read in an empty list", () => {
    const service = new Service(0, 10);
    const list = new TwoEndedList<Row>();
    assert.equal(list.hasAnswer, false);
    look(list, service, { first: 0, last: viewRows });
    assert.deepEqual([list.hasAnswer, list.length, list.total], [true, 0, 0]);
  });
});
