/** Error-prone names. */
import fc from "fast-check";

/** Names that differ in case, form or order only, and names with special characters. */
const awkwardNames: readonly string[] = [
  ...["caf\u00e9", "cafe\u0301", "CAF\u00c9", "CAFE\u0301", "Cafe"],
  ...["\u0130stanbul", "istanbul", "ISTANBUL", "\u0131stanbul", "i\u0307stanbul"],
  ...["stra\u00dfe", "STRA\u1e9eE", "STRASSE", "strasse"],
  ...["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3"],
  ...["\u039f\u0394\u039f\u03a3.pdf", "\u03c3\u03c2\u03a3"],
  // The second of each pair is first in UTF-16 order, the first in code point order.
  ...["\uff5e", "\u{1f600}", "a\uff5e", "a\u{1f600}", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
  ...["\u212bngstr\u00f6m", "\u00c5ngstr\u00f6m", "\u00e5NGSTR\u00d6M", "\u212aelvin", "kelvin"],
  ...["\ufb01ne", "fine", "\u01c5", "\u01c6", "\u1fb3", "\u1fbc"],
  ...["a", "A", "a b", "a-b", "a.b", "a\u0001", "a\u0001b", "a\u0002", "a!", "a0", " a", "a "],
  ...[
    "100%",
    "100",
    "a_b",
    "aXb",
    "a\\b",
    "a\\\\b",
    "\\",
    "%",
    "_",
    "it's",
    '"quoted"',
    "$1",
    "{}",
  ],
  ...["*", "?", "what?", "*star*", "[a]", "(1)", "a|b", "^a$", "-- x", "null", "\u00a0", "\u200b"],
  ...["report.pdf", "Report.PDF", "report (1).pdf", "REPORT.pdf.bak", "...", ".hidden"],
];

const characters = [
  ...["a", "A", "b", "e", "\u00e9", "\u00c9", "e\u0301", "i", "\u0130", "\u0131", "\u0307"],
  ...["\u00df", "\u1e9e", "s", "\u03c3", "\u03c2", "\u03a3", "\u{1f600}", "\uff5e", "\u{10400}"],
  ...[
    " ",
    ".",
    "-",
    "%",
    "_",
    "\\",
    "*",
    "?",
    "'",
    '"',
    "\u0001",
    "\u0002",
    "0",
    "\ud7ff",
    "\ue000",
  ],
];

/** A name of a folder or upload. */
export const names: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 2, arbitrary: fc.constantFrom(...awkwardNames) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 9 }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...awkwardNames), fc.constantFrom(...awkwardNames))
        .map((pair) => pair.join("")),
    },
  )
  .filter((name) => name !== "." && name !== "..");

/** Part of a name as a user might type it: a substring, in another case or form. */
export function typedPartOf(name: string): fc.Arbitrary<string> {
  const points = Array.from(name);
  return fc
    .tuple(fc.nat(points.length - 1), fc.integer({ min: 1, max: points.length }))
    .map(([start, length]) => points.slice(start, start + length).join(""))
    .chain((part) =>
      fc.constantFrom(
        part,
        part.toUpperCase(),
        part.toLowerCase(),
        part.normalize("NFC"),
        part.normalize("NFD"),
      ),
    );
}

/** A pattern that may match the name. */
export function patternFor(name: string): fc.Arbitrary<string> {
  const form = fc.constantFrom("start*", "*end", "*middle*", "one?", "all", "?*");
  return fc.tuple(form, typedPartOf(name)).map(([kind, part]) => {
    const points = Array.from(name);
    if (kind === "start*") return `${points.slice(0, 2).join("")}*`;
    if (kind === "*end") return `*${points.slice(-2).join("")}`;
    if (kind === "*middle*") return `*${part}*`;
    if (kind === "one?") return `${points.slice(0, -1).join("")}?`;
    return kind === "all" ? points.map(() => "?").join("") : "?*";
  });
}
