import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compareKeys, externalPathOf, type Key, keyOfBytes } from "../keys.ts";
import { isInRange, type ListingRange } from "../lister.ts";
import { findBoundary } from "./find-boundary.ts";
import type { PagePosition, StorePage } from "./read-page.ts";

const pageKeys = 3;

interface FoundRange extends ListingRange {
  /** The last key of its first page. It is divided after that. */
  readonly lastKey: Key | undefined;
  readonly charactersInCommon: number;
}

/** A store with these keys, and the ranges into which it is divided, eight if there are so many. */
async function divide(
  keys: readonly Key[],
  emptyPageEnd: (after: Key | undefined) => Key | undefined = () => undefined,
) {
  let requests = 0;
  const sorted = [...new Set(keys)].toSorted(compareKeys);
  const readPage = async ({ after, keysMax = pageKeys }: PagePosition): Promise<StorePage> => {
    requests += 1;
    const all = sorted.filter((key) => isInRange(key, { after, until: undefined }));
    const objects = all.slice(0, keysMax).map((key) => ({ key }) as StorePage["objects"][number]);
    const next = all.length > keysMax ? { token: "next" } : undefined;
    return { objects, lastKey: objects.at(-1)?.key ?? emptyPageEnd(after), next };
  };
  const first = await readPage({ after: undefined });
  const { lastKey } = first;
  const all = { after: undefined, until: undefined, lastKey, charactersInCommon: 0 };
  let ranges: FoundRange[] = [all];
  for (let before = 0; ranges.length > before && ranges.length < 8; ) {
    before = ranges.length;
    ranges = (await Promise.all(ranges.map((range) => partsOf(range, readPage)))).flat();
  }
  const counts = ranges.map((range) => sorted.filter((key) => isInRange(key, range)).length);
  return { sorted, ranges, counts, requests };
}

async function partsOf(
  range: FoundRange,
  readPage: Parameters<typeof findBoundary>[0],
): Promise<FoundRange[]> {
  const left = { after: range.lastKey, until: range.until };
  const found = await findBoundary(readPage, left, range.charactersInCommon);
  if (found === undefined) return [range];
  const { boundary, firstPage, charactersInCommon } = found;
  const { lastKey } = firstPage;
  assert.ok(isInRange(boundary, left) && boundary !== range.until);
  assert.deepEqual((await readPage({ after: boundary })).objects, firstPage.objects);
  return [
    { ...range, until: boundary, charactersInCommon },
    { ...range, after: boundary, lastKey, charactersInCommon },
  ];
}

const numbers = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(6, "0")}`);

describe("the ranges of a bucket", () => {
  it("cover all keys once, in order, and know what their keys have in common", async () => {
    const character = fc.constantFrom(
      "a",
      "b",
      "/",
      "0",
      "9",
      "~",
      "é",
      "\uffff",
      "😀",
      "\u{10fffd}",
    );
    const text = fc.array(character, { minLength: 1, maxLength: 5 }).map((all) => all.join(""));
    const invalid = text.map((start) => keyOfBytes(Buffer.from(`${start}\xff`, "latin1")));
    const key = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: invalid });
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 80 }), async (keys) => {
        const { sorted, ranges, counts } = await divide(keys);
        assert.equal(ranges[0]?.after, undefined);
        assert.equal(ranges.at(-1)?.until, undefined);
        for (const [index, { until }] of ranges.slice(0, -1).entries()) {
          assert.equal(ranges[index + 1]?.after, until);
        }
        for (const { lastKey, until, charactersInCommon } of ranges) {
          const begin = [...String(lastKey)].slice(0, charactersInCommon).join("");
          const left = sorted.filter((key) => isInRange(key, { after: lastKey, until }));
          assert.ok(left.every((key) => externalPathOf(key).startsWith(begin)));
        }
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          sorted.length,
        );
      }),
    );
  });

  it("divide keys that begin alike", async () => {
    const { counts } = await divide(numbers("exports/customer-data/2026-11-22/part-", 1000));
    assert.ok(counts.length >= 8, `${counts.length} ranges`);
    assert.ok(Math.max(...counts) <= 500, `${counts}`);
  });

  it("divide the larger of two folders", async () => {
    const { counts } = await divide([...numbers("a/", 4), ...numbers("b/b/b/", 1000), "z"]);
    assert.ok(Math.max(...counts) <= 500, `${counts}`);
  });

  it("are found by few requests among folders whose names begin with others", async () => {
    const names = Array.from({ length: 5000 }, (_, number) => `${number % 50}/${number}/file`);
    const { counts, requests } = await divide(names);
    assert.ok(counts.length >= 8, `${counts.length} ranges`);
    assert.ok(requests <= 3 * counts.length, `${requests} requests for ${counts.length} ranges`);
  });

  it("are the same if empty pages end where they begin, as those of versions do", async () => {
    const names = numbers("exports/part-", 1000);
    const { counts } = await divide(names, (after) => after);
    assert.deepEqual(counts, (await divide(names)).counts);
  });

  it("are one for an empty bucket", async () => {
    assert.deepEqual((await divide([])).counts, [0]);
  });
});
