import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ListReader } from "./list-reader.ts";
import type { Page } from "./page-chain.ts";
import type { ListRequest, Matches } from "./two-ended-list.ts";

interface Row {
  readonly id: string;
}

/** A reader, and the calls that it has made, to be answered by the test. */
function readerOfCalls(countMatches?: (first: Page<Row>, signal: AbortSignal) => Promise<Matches>) {
  const calls: {
    request: ListRequest;
    signal: AbortSignal;
    answer: (page: Page<Row>) => Promise<void>;
    fail: (error: unknown) => Promise<void>;
  }[] = [];
  const reader = new ListReader<Row>({
    isMismatch: (error) => error === "mismatch",
    countMatches,
    countDelayMs: 0,
    readPage: (request, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Page<Row>>();
      const settle = async (how: () => void) => {
        how();
        await promise.catch(() => undefined);
      };
      calls.push({
        request,
        signal,
        answer: (page) => settle(() => resolve(page)),
        fail: (error) => settle(() => reject(error)),
      });
      return promise;
    },
  });
  return { reader, calls };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

function pageOf(from: number, count: number, nextCursor = ""): Page<Row> {
  const rows = Array.from({ length: count }, (_, index) => ({ id: `${from + index}` }));
  return { rows, nextCursor };
}

describe("reading a list", () => {
  it("reads the first page, and more when more is looked at", async () => {
    const { reader, calls } = readerOfCalls();
    reader.start();
    await calls[0]?.answer(pageOf(0, 100, "c1"));
    assert.equal(reader.state().list.row(99)?.id, "99");
    reader.setVisibleRange({ first: 60, last: 99 });
    assert.deepEqual(
      calls.map(({ request }) => request.cursor),
      ["", "c1"],
    );
  });

  it("tells listeners of every change", async () => {
    const { reader, calls } = readerOfCalls();
    const states = new Set([reader.state()]);
    const unsubscribe = reader.subscribe(() => states.add(reader.state()));
    reader.start();
    await calls[0]?.answer(pageOf(0, 3));
    assert.equal(states.size, 2);
    unsubscribe();
    reader.setExpectedTotal(3);
    assert.equal(states.size, 2);
  });

  it("cancels the call of a list that is no longer shown, and ignores its answer", async () => {
    const { reader, calls } = readerOfCalls();
    reader.start();
    reader.stop();
    assert.equal(calls[0]?.signal.aborted, true);
    await calls[0]?.answer(pageOf(0, 3));
    assert.equal(reader.state().list.hasAnswer, false);
    reader.start();
    assert.equal(calls.length, 2);
  });

  it("counts a search once its first rows are there, and when they are read again", async () => {
    const counts: { signal: AbortSignal; answer: (matches: Matches) => void }[] = [];
    const { reader, calls } = readerOfCalls((_first, signal) => {
      const { promise, resolve } = Promise.withResolvers<Matches>();
      counts.push({ signal, answer: resolve });
      return promise;
    });
    const matches = { count: 300, isExact: true, sizeBytes: 5 };
    reader.start();
    assert.equal(counts.length, 0);
    await calls[0]?.answer(pageOf(0, 100, "c1"));
    assert.equal(reader.state().list.row(99)?.id, "99");
    await until(() => counts.length === 1);
    counts[0]?.answer(matches);
    await until(() => reader.state().list.matches === matches);
    reader.refresh();
    await calls[1]?.answer(pageOf(0, 100, "c1"));
    await until(() => counts.length === 2);
    reader.stop();
    assert.equal(counts[1]?.signal.aborted, true);
  });

  it("shows a search that cannot be counted", async () => {
    let counts = 0;
    const { reader, calls } = readerOfCalls(() => {
      counts += 1;
      return Promise.reject(new Error("too long"));
    });
    reader.start();
    await calls[0]?.answer(pageOf(0, 100, "c1"));
    await until(() => counts === 1);
    assert.deepEqual([reader.state().error, reader.state().list.knownRows], [undefined, 100]);
  });

  it("stops at an error until it is told to try again", async () => {
    const { reader, calls } = readerOfCalls();
    reader.start();
    await calls[0]?.fail("away");
    reader.setVisibleRange({ first: 0, last: 30 });
    assert.equal(reader.state().error, "away");
    assert.equal(calls.length, 1);
    reader.retry();
    await calls[1]?.answer(pageOf(0, 3));
    assert.deepEqual([reader.state().error, reader.state().list.total], [undefined, 3]);
  });

  it("begins anew when its cursors have become invalid, but not for ever", async () => {
    const { reader, calls } = readerOfCalls();
    reader.setExpectedTotal(500);
    reader.start();
    await calls[0]?.answer(pageOf(0, 100, "c1"));
    reader.setVisibleRange({ first: 90, last: 120 });
    await calls[1]?.fail("mismatch");
    assert.equal(calls[2]?.request.cursor, "");
    assert.equal(reader.state().list.length, 500);
    await calls[2]?.fail("mismatch");
    await calls[3]?.fail("mismatch");
    await calls[4]?.fail("mismatch");
    assert.equal(reader.state().error, "mismatch");
    assert.equal(calls.length, 5);
  });

  it("begins anew again when it is told to try again", async () => {
    const { reader, calls } = readerOfCalls();
    reader.start();
    for (let call = 0; call < 4; call++) await calls[call]?.fail("mismatch");
    assert.equal(reader.state().error, "mismatch");
    reader.retry();
    await calls[4]?.fail("mismatch");
    await calls[5]?.answer(pageOf(0, 3));
    assert.deepEqual([reader.state().error, reader.state().list.total], [undefined, 3]);
  });

  it("reads again what was under way when the list changed", async () => {
    const { reader, calls } = readerOfCalls();
    reader.start();
    reader.refresh();
    await calls[0]?.answer(pageOf(0, 3));
    assert.equal(reader.state().list.row(0)?.id, "0");
    await calls[1]?.answer(pageOf(10, 4));
    assert.equal(reader.state().list.row(0)?.id, "10");
    assert.equal(calls.length, 2);
  });

  it("reads each page of wanted rows once, however far they are from the view", async () => {
    const { reader, calls } = readerOfCalls();
    const pageRows = 100;
    const pages = 22;
    const answer = async () => {
      const from = pageRows * Number(calls.at(-1)?.request.cursor);
      await calls.at(-1)?.answer(pageOf(from, pageRows, `${from / pageRows + 1}`));
    };
    reader.start();
    for (let page = 0; page < pages; page++) {
      await answer();
      reader.setVisibleRange({ first: page * pageRows, last: page * pageRows + 99 });
    }
    const rowsBefore = reader.state().list.keptRows;
    const callsBefore = calls.length;
    reader.setPinnedRange({ first: 0, last: 199 });
    for (let page = 0; page < 3; page++) await answer();
    assert.deepEqual(
      calls.slice(callsBefore).map(({ request }) => request.cursor),
      ["", "1"],
    );
    assert.equal(reader.state().list.row(0)?.id, "0");
    assert.equal(reader.state().list.row(199)?.id, "199");
    reader.setPinnedRange(undefined);
    reader.setVisibleRange({ first: 2150, last: 2160 });
    assert.equal(reader.state().list.keptRows, rowsBefore);
  });
});
