import fc from "fast-check";
import { type NamePattern, namePattern } from "../name-pattern.ts";

const character = fc.constantFrom(
  "a",
  "b",
  "z",
  "q",
  "7",
  "é",
  "写",
  "📷",
  ".",
  " ",
  "_",
  "%",
  "\\",
);

/** A name in folded form, and patterns that match it. */
export const matchingName: fc.Arbitrary<{ name: string; patterns: readonly NamePattern[] }> = fc
  .tuple(
    fc.array(character, { minLength: 1, maxLength: 12 }),
    fc.array(fc.nat()),
    fc.nat(),
    fc.nat(),
  )
  .map(([characters, cuts, from, to]) => {
    const { length } = characters;
    const part = characters.slice(from % length, (from % length) + 1 + (to % length)).join("");
    const glob = characters
      .map((each, index) => ["*", "?", each, each][(cuts[index] ?? 3) % 4])
      .join("");
    const name = characters.join("");
    const patterns = [
      namePattern("contains", part, false),
      namePattern("glob", glob, false),
      namePattern("equals", name, false),
      namePattern("prefix", characters[0] ?? "", false),
    ];
    return { name, patterns };
  });
