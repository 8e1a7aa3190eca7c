import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { joinParts, readQuery } from "./page-query.ts";

const pieces = fc.constantFrom(
  ...["sea", "-sky", '"old town"', '-"a b"', '"open', "x:y", 'in:"/a b', '"a ""b', '"a""'],
  ...["*.pdf", "a,b", '""', "-"],
  ...["type:image", "-type:video", "size:>1MB", "size:huge", "created:", 'tag:"for Ada"'],
);

describe("a query of the page", () => {
  it("sends all but filters without a value", () => {
    assert.equal(readQuery(" sea size:huge  -type:image ").sent, "sea -type:image");
    assert.equal(readQuery("size:").sent, "");
    assert.deepEqual(
      readQuery("size:huge sea").wrong.map(({ name }) => name),
      ["size"],
    );
  });

  it("sends parts with the meaning that they have in the text", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (written) => {
        const { parts, sent } = readQuery(written.join(" "));
        const meant = parts.filter(({ kind }) => kind !== "wrong").map(meaningOf);
        assert.deepEqual(readQuery(sent).parts.map(meaningOf), meant);
      }),
    );
  });

  it("sends no more words and filters than the service takes", () => {
    const words = Array.from({ length: 17 }, (_, index) => `w${index}`);
    const { sent, hasTooMany } = readQuery(`${words.join(" ")} type:image`);
    assert.equal(sent, `${words.slice(0, 16).join(" ")} type:image`);
    assert.equal(hasTooMany, true);
    assert.equal(readQuery(words.slice(1).join(" ")).hasTooMany, false);
  });

  it("closes a quote before more is added", () => {
    assert.equal(joinParts(['"old town', "sea"]), '"old town" sea');
    assert.equal(joinParts(['in:"/a b', "sea"]), 'in:"/a b" sea');
    assert.equal(joinParts(['"old ""town""', "sea"]), '"old ""town""" sea');
    assert.equal(joinParts(['"old ""town"""', "sea"]), '"old ""town""" sea');
    assert.equal(joinParts(['x:"y', "sea"]), 'x:"y sea');
  });
});

function meaningOf(part: ReturnType<typeof readQuery>["parts"][number]): unknown {
  const { start, end, written, ...meaning } = part;
  return meaning;
}
