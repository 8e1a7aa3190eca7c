import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Column } from "./column.ts";

const value = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.nat(200_000).map((length) => "x".repeat(length)) },
);

describe("Column", () => {
  it("gives the values that were added since it was cleared, one by one and joined", () => {
    const column = new Column();
    const property = fc.property(fc.array(value), fc.nat(), fc.nat(), (values, one, other) => {
      column.clear();
      for (const text of values) {
        const bytes = Buffer.from(text ?? "");
        if (text === null) column.addNull();
        else column.add(bytes);
        bytes.fill(0);
      }
      assert.equal(column.length, values.length);
      for (const [index, text] of values.entries()) {
        assert.equal(textOf(column.at(index)), text);
        assert.equal(textOf(column.at(index - values.length)), text);
      }
      const [from = 0, to = 0] = [one, other]
        .map((place) => place % (values.length + 1))
        .sort(byValue);
      assert.equal(column.joined(from, to).toString(), values.slice(from, to).join(","));
    });
    fc.assert(property);
  });

  it("has nothing beyond its ends", () => {
    const column = new Column();
    column.addNull();
    assert.equal(column.at(1), undefined);
    assert.equal(column.at(-2), undefined);
    assert.throws(() => column.joined(0, 2), RangeError);
    assert.throws(() => column.joined(1, 0), RangeError);
  });
});

function textOf(bytes: Buffer | null | undefined): string | null | undefined {
  return bytes === null ? null : bytes?.toString();
}

function byValue(one: number, other: number): number {
  return one - other;
}
