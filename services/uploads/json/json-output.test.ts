import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isoOfMicros } from "../model/microseconds.ts";
import { arbitraryPath } from "../model/testing/arbitrary-path.ts";
import { treeKey } from "../model/tree-key.ts";
import { JsonOutput } from "./json-output.ts";
import { addTime } from "./time-output.ts";

/** What is written after so many bytes: the buffer may grow in between. */
function written(write: (output: JsonOutput) => void, bytesBefore = 0): string {
  const output = new JsonOutput();
  output.add(Buffer.alloc(bytesBefore));
  write(output);
  return output.view(bytesBefore, output.length).toString();
}

const bytesBefore = fc.oneof(fc.constant(0), fc.integer({ min: 64 * 1024 - 50, max: 64 * 1024 }));

describe("JsonOutput", () => {
  it("writes strings as JSON.stringify does", () => {
    const property = fc.property(
      fc.string({ unit: fc.oneof(fc.constantFrom('"', "\\", "\u0000", "\t"), fc.string()) }),
      bytesBefore,
      (text, before) => {
        const bytes = Buffer.from(text.toWellFormed());
        const string = written((output) => output.addString(bytes, 0, bytes.length), before);
        assert.equal(`"${string}"`, JSON.stringify(text.toWellFormed()));
      },
    );
    fc.assert(property);
  });

  it("writes the path of a tree key", () => {
    const property = fc.property(arbitraryPath, (path) => {
      const key = Buffer.from(treeKey(path));
      const string = written((output) => output.addPathOfKey(key, 0, key.length));
      assert.equal(JSON.parse(`"${string}"`), path);
    });
    fc.assert(property);
  });

  it("writes integers", () => {
    const limits = [0, 9, 10, 999_999_999, 1e9, 2 ** 31 - 1, 2 ** 31, 1e18 / 1000 - 1, 2 ** 53 - 1];
    const integer = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(...limits), fc.nat(1000));
    const property = fc.property(integer, (value) => {
      assert.equal(
        written((output) => output.addInteger(value)),
        String(value),
      );
    });
    fc.assert(property);
  });

  it("leaves out the spaces between the tokens of JSON", () => {
    const property = fc.property(fc.json(), (json) => {
      const spaced = Buffer.from(JSON.stringify(JSON.parse(json), undefined, " "));
      const withoutLines = Buffer.from(spaced.toString().replaceAll("\n", " "));
      const compact = written((output) => output.addCompact(withoutLines, 0, withoutLines.length));
      assert.equal(compact, JSON.stringify(JSON.parse(json)));
    });
    fc.assert(property);
  });
});

describe("addTime()", () => {
  it("writes every time of the years 1 to 9999, with 0, 3 or 6 fraction digits", () => {
    const first = -62_135_596_800_000_000n;
    const last = 253_402_300_799_999_999n;
    const micros = fc.oneof(
      fc.bigInt(first, last),
      fc.bigInt(0n, 2_000_000_000n).map((seconds) => seconds * 1_000_000n),
      fc.bigInt(0n, 2_000_000_000_000n).map((ms) => ms * 1000n),
      fc.constantFrom(first, last, 951_782_400_000_000n, 951_868_799_999_999n),
    );
    const property = fc.property(micros, (value) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64BE(value - 946_684_800_000_000n);
      assert.equal(
        written((output) => addTime(output, bytes, 0)),
        isoOfMicros(value)
          .replace(/(\.000|)000Z$/, "Z")
          .replace(/\.Z$/, "Z"),
      );
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
