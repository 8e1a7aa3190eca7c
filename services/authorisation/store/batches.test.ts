import assert from "node:assert/strict";
import { it } from "node:test";
import { inBatches } from "./batches.ts";

/** A statement that answers when the test says so. */
function heldStatement() {
  const begun: { items: readonly number[]; end: PromiseWithResolvers<void> }[] = [];
  const double = inBatches(async (items: readonly number[]) => {
    const end = Promise.withResolvers<void>();
    begun.push({ items, end });
    await end.promise;
    return items.map((item) => item * 2);
  });
  return { begun, double };
}

const turn = () => new Promise(setImmediate);

it("calls of one turn share a statement, and each gets its own result", async () => {
  const { begun, double } = heldStatement();
  const results = [1, 2, 2, 3].map(double);
  await turn();
  assert.deepEqual(
    begun.map(({ items }) => items),
    [[1, 2, 2, 3]],
  );
  begun[0]?.end.resolve();
  assert.deepEqual(await Promise.all(results), [2, 4, 4, 6]);
});

it("a call never gets the result of a statement that began before it", async () => {
  const { begun, double } = heldStatement();
  const first = double(1);
  await turn();
  const later = [double(1), double(2)];
  await turn();
  assert.equal(begun.length, 1);
  begun[0]?.end.resolve();
  assert.equal(await first, 2);
  await turn();
  assert.deepEqual(begun[1]?.items, [1, 2]);
  begun[1]?.end.resolve();
  assert.deepEqual(await Promise.all(later), [2, 4]);
});

it("an error reaches the calls of its statement and those that wait, no later ones", async () => {
  const { begun, double } = heldStatement();
  const first = double(1);
  await turn();
  const outcomes = Promise.allSettled([first, double(2), double(3)]);
  begun[0]?.end.reject(new Error("no database"));
  for (const outcome of await outcomes) {
    assert.match(String(outcome.status === "rejected" && outcome.reason), /no database/);
  }
  const later = double(4);
  await turn();
  assert.deepEqual(begun[1]?.items, [4]);
  begun[1]?.end.resolve();
  assert.equal(await later, 8);
});

it("a statement has at most 64 items; the others are in the next ones, in order", async () => {
  const { begun, double } = heldStatement();
  const items = Array.from({ length: 150 }, (_, index) => index);
  const results = Promise.all(items.map(double));
  for (let count = 0; count < 3; count++) {
    await turn();
    begun[count]?.end.resolve();
  }
  assert.deepEqual(
    await results,
    items.map((item) => item * 2),
  );
  assert.deepEqual(
    begun.map((statement) => statement.items.length),
    [64, 64, 22],
  );
});
