/**
 * Runs one statement for several requests. Requests that arrive while a statement runs wait for it
 * to end, and share the next one. So the busier the service is, the less a request costs, and
 * without load nobody waits.
 */
import type pg from "pg";

/** A statement of this size takes a few milliseconds. */
const batchMax = 64;

/**
 * Makes a function that runs `statement` for its item, together with the items of other calls. If
 * the statement fails, all its calls reject, and so do those that wait for it to end. So no item
 * may be able to make the statement fail.
 *
 * @param statement returns a result for each item, in their order
 */
export function inBatches<Item, Result>(
  statement: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Call<Item, Result>[] = [];
  let isRunning = false;

  const runWaiting = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      try {
        const results = await statement(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        // Without the database, the waiting calls would fail too, only later.
        for (const { reject } of [...batch, ...waiting]) reject(error);
        waiting = [];
      }
    }
    isRunning = false;
  };

  return (item) => {
    const { promise, ...call } = Promise.withResolvers<Result>();
    waiting.push({ item, ...call });
    if (!isRunning) {
      isRunning = true;
      // Requests that the event loop reads in the same turn share the statement.
      setImmediate(() => void runWaiting());
    }
    return promise;
  };
}

/**
 * Makes a function that finds a row by its ID, those of concurrent calls together.
 *
 * @param statement selects the rows whose IDs are in the array `$1`
 */
export function findInBatches<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: { readonly name: string; readonly text: string },
  idOf: (row: Row) => string,
): (id: string) => Promise<Row | undefined> {
  return inBatches(async (ids: readonly string[]) => {
    const { rows } = await pool.query<Row>({ ...statement, values: [ids] });
    const found = new Map(rows.map((row) => [idOf(row), row]));
    return ids.map((id) => found.get(id));
  });
}

interface Call<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}
