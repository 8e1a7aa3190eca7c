/**
 * Runs one statement for several requests. Requests that arrive while a statement runs wait for it
 * to end, and share the next one. So the busier the service is, the less a request costs, and
 * without load nobody waits.
 */

/** A statement of this size takes a few milliseconds. */
const batchMax = 64;

/**
 * Makes a function that runs `statement` for its item, together with the items of other calls. It
 * gets the item's result, or the error of the statement, which all calls of a batch share: no item
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
      await runBatch(batch, statement);
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

interface Call<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

async function runBatch<Item, Result>(
  batch: readonly Call<Item, Result>[],
  statement: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<void> {
  try {
    const results = await statement(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
