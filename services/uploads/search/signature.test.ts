import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foldName } from "@stowage/api/names/fold-name";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import { type NameRule, namePattern } from "../model/name-pattern.ts";
import { signatureOf, signatureOfSearch } from "./signature.ts";

/** A part in code points. */
const part = (text: string, from: number, to: number) => [...text].slice(from, to).join("");

const hasAll = (one: bigint, other: bigint) => (one & other) === other;

describe("the signature of an upload", () => {
  it("has all bits of every search that finds it", () => {
    const characters = fc.constantFrom("a", "B", "7", ".", " ", "é", "İ", "日", "😀", "_");
    const name = fc.string({ unit: characters, minLength: 1, maxLength: 12 });
    const tags = fc.array(name, { maxLength: 3 });
    const rules: readonly [NameRule, (name: string, from: number, to: number) => string][] = [
      ["equals", (text) => text],
      ["prefix", (text, _, to) => part(text, 0, to)],
      ["contains", (text, from, to) => part(text, from, to)],
      ["glob", (text, from, to) => `*${part(text, from, to)}*`],
    ];
    fc.assert(
      fc.property(name, name, tags, fc.nat(12), fc.nat(12), (filename, slug, tags, one, other) => {
        const folded = [filename, slug].map(foldName);
        const signature = signatureOf(folded, tags, false);
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        for (const text of folded) {
          for (const [rule, searchFor] of rules) {
            const searched = searchFor(text, from, to);
            const pattern = namePattern(rule, searched, false);
            if (!text.includes(pattern.text.replaceAll("*", ""))) continue;
            assert.ok(hasAll(signature, signatureOfSearch(pattern, tags)), `${rule} ${searched}`);
          }
        }
      }),
      { numRuns: randomCases(5000) },
    );
  });

  it("tells most names apart, and whether the upload is hidden", () => {
    const search = signatureOfSearch(namePattern("contains", "invoice", false));
    const names = Array.from({ length: 1000 }, (_, number) => `IMG_${number}.jpg`);
    const like = names.filter((name) => hasAll(signatureOf([foldName(name)], [], false), search));
    assert.ok(like.length < 20, `${like.length} of ${names.length}`);
    assert.equal(signatureOf(["a"], [], true) - signatureOf(["a"], [], false), 2n ** 62n);
  });
});
