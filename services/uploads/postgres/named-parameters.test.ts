import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bindParameters, nameStatement } from "./named-parameters.ts";

describe("bindParameters()", () => {
  it("numbers the names, each once, and takes no other values", () => {
    const text = "select :b::text, :a where :b > 0";
    assert.deepEqual(bindParameters(text, { a: 1, b: null, c: 3 }), {
      text: "select $1::text, $2 where $1 > 0",
      values: [null, 1],
    });
  });

  it("leaves casts and slices alone", () => {
    const text = "select path[1:level], '12:30'::time, array[:n]";
    assert.deepEqual(bindParameters(text, { n: 1 }), {
      text: "select path[1:level], '12:30'::time, array[$1]",
      values: [1],
    });
  });

  it("throws if a value is missing", () => {
    assert.throws(() => bindParameters("select :a", {}), {
      message: "Cannot bind :a: it has no value",
    });
  });
});

describe("nameStatement()", () => {
  it("gives the same name to the same text only", () => {
    const [one, same, other] = ["select :a", "select :b", "select :a, 1"].map(nameStatement);
    assert.equal(one?.name, same?.name);
    assert.notEqual(one?.name, other?.name);
  });
});
