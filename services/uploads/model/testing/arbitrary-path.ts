import fc from "fast-check";

/** Characters that sort around the separator, need escapes, or take more than one unit. */
const characters = ["\u0001", "\u0002", "\u0003", " ", "-", ".", "0", "a", "b", "ÿ", "～", "😀"];

const segment = fc
  .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 3 })
  .map((units) => units.join(""))
  .filter((text) => text !== "." && text !== "..");

/** Folder paths in normal form, close enough to each other to be related often. */
export const arbitraryPath: fc.Arbitrary<string> = fc
  .array(segment, { maxLength: 4 })
  .map((segments) => `/${segments.join("/")}`);
