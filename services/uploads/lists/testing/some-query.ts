/** For tests: queries as people type them, each with what it means for one upload. */
import { foldName } from "@stowage/api/names/fold-name";
import fc from "fast-check";
import { hasWord, type MatchedUpload } from "./matching.ts";

export interface TypedUpload extends MatchedUpload {
  readonly tags: readonly string[];
}

interface Part {
  readonly text: string;
  readonly isMatch: (upload: TypedUpload) => boolean;
}

export interface TypedQuery {
  readonly text: string;
  readonly isMatch: (upload: TypedUpload) => boolean;
}

const types = ["image", "video", "audio", "document", "archive", "text", "other"] as const;
const day = 86_400_000_000n;

/** Words that some names have, whole and in parts, in every script. */
export const someWords = [
  "report",
  "Tax",
  "2024",
  "写真",
  "Größe",
  "ΟΔΟΣ",
  "été",
  "📷",
  "x_%\\",
  "a.b",
];

const pieces = fc.constantFrom(
  ...someWords,
  ...[
    "rep",
    "ax",
    "写",
    "sse",
    "οδός",
    "É",
    "e\u0301",
    "_%",
    "24/",
    "/2024",
    "ax/rep",
    "a",
    "zq",
    ".",
    "/",
  ],
);
const word = pieces.map((text): Part => wordPart(text, text));
const quoted = fc
  .constantFrom("two words", "Tax 20", "a*b", "report", " ", "- x", "size:1", 'the "tax"')
  .map((text): Part => wordPart(`"${text.replaceAll('"', '""')}"`, text));
const pattern = fc
  .constantFrom("*.pdf", "rep*", "?ax*", "*/2024/*", "/tax*", "*写*", "*.tar.gz", "*", "??????*")
  .map(
    (text): Part => ({
      text,
      isMatch: (upload) => hasWord(upload, { text: foldName(text), isPattern: true }),
    }),
  );

function wordPart(text: string, word: string): Part {
  const needed = { text: foldName(word), isPattern: false };
  return { text, isMatch: (upload) => hasWord(upload, needed) };
}

const extension = fc
  .subarray(["pdf", "JPG", ".gz", "tar.gz", "写"], { minLength: 1, maxLength: 2 })
  .map((given): Part => {
    const ends = given.map((each) => `.${foldName(each.replace(/^\./, ""))}`);
    return {
      text: `ext:${given.join()}`,
      isMatch: ({ filename }) => ends.some((end) => foldName(filename).endsWith(end)),
    };
  });
const type = fc.subarray([...types], { minLength: 1, maxLength: 3 }).map(
  (given): Part => ({
    text: `type:${given.join()}`,
    isMatch: (upload) => given.some((each) => upload.type === 1 + types.indexOf(each)),
  }),
);
const tag = fc.constantFrom("final", "Größe", "a b", 'a "b"').map(
  (given): Part => ({
    text: /\s/.test(given) ? `tag:"${given.replaceAll('"', '""')}"` : `tag:${given}`,
    isMatch: ({ tags }) => tags.includes(given),
  }),
);

const sizeUnits = [
  ["", 1n],
  ["B", 1n],
  ["k", 1000n],
  ["kB", 1000n],
  ["KiB", 1024n],
  ["MB", 1_000_000n],
] as const;
const size = fc
  .record({
    count: fc.bigInt(0n, 40n),
    other: fc.bigInt(0n, 40n),
    unit: fc.constantFrom(...sizeUnits),
    form: fc.constantFrom("", ">", ">=", "<", "<=", "..", "..to", "from.."),
  })
  .map(({ count, other, unit: [name, bytes], form }): Part => {
    const [low, high] = count < other ? [count, other] : [other, count];
    const at = count * bytes;
    const forms = {
      "": [`${count}${name}`, (n: bigint) => n === at],
      ">": [`>${count}${name}`, (n: bigint) => n > at],
      ">=": [`>=${count}${name}`, (n: bigint) => n >= at],
      "<": [`<${count}${name}`, (n: bigint) => n < at],
      "<=": [`<=${count}${name}`, (n: bigint) => n <= at],
      "..": [`${low}${name}..${high}${name}`, (n: bigint) => n >= low * bytes && n <= high * bytes],
      "..to": [`..${count}${name}`, (n: bigint) => n <= at],
      "from..": [`${count}${name}..`, (n: bigint) => n >= at],
    } as const;
    const [text, isMatch] = forms[form as keyof typeof forms];
    return { text: `size:${text}`, isMatch: ({ sizeBytes }) => isMatch(sizeBytes) };
  });

const spans = ["2024", "2024-02", "2024-02-29", "2023-12-31T23:59:59.5Z", "2025"] as const;
const microsOf = (date: string) => BigInt(Date.parse(date)) * 1000n;
const endOf: Record<(typeof spans)[number], bigint> = {
  "2024": microsOf("2025-01-01") - 1n,
  "2024-02": microsOf("2024-03-01") - 1n,
  "2024-02-29": microsOf("2024-03-01") - 1n,
  "2023-12-31T23:59:59.5Z": microsOf("2023-12-31T23:59:59.500Z"),
  "2025": microsOf("2026-01-01") - 1n,
};
const time = fc
  .record({
    filter: fc.constantFrom("created", "changed"),
    span: fc.constantFrom(...spans),
    form: fc.constantFrom("", ">", ">=", "<", "<=", ".."),
  })
  .map(({ filter, span, form }): Part => {
    const [from, to] = [microsOf(span), endOf[span]];
    const forms = {
      "": (micros: bigint) => micros >= from && micros <= to,
      ">": (micros: bigint) => micros > to,
      ">=": (micros: bigint) => micros >= from,
      "<": (micros: bigint) => micros < from,
      "<=": (micros: bigint) => micros <= to,
      "..": (micros: bigint) => micros <= to,
    };
    const isMatch = forms[form as keyof typeof forms];
    return {
      text: `${filter}:${form}${span}`,
      isMatch: (upload) =>
        isMatch(upload[filter === "created" ? "createdMicros" : "updatedMicros"]),
    };
  });
/** No upload of the tests is about as old. */
const age = fc.constantFrom(["<3d", 3n, true], [">3d", 3n, false], ["2w", 14n, true] as const).map(
  ([text, days, isYounger]): Part => ({
    text: `changed:${text}`,
    isMatch: ({ updatedMicros }) =>
      BigInt(Date.now()) * 1000n - updatedMicros < (days as bigint) * day === isYounger,
  }),
);
const folder = fc.subarray(["/tax", "tax/2024", "/写真", "/"], { minLength: 1, maxLength: 2 }).map(
  (given): Part => ({
    text: `in:${given.join()}`,
    isMatch: ({ path }) =>
      given.some((each) => {
        const top = each === "/" ? "" : `/${each.replace(/^\//, "")}`;
        return path === top || path.startsWith(`${top}/`) || top === "";
      }),
  }),
);

const part = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: word },
      ...[quoted, pattern, extension, type, tag, size, time, age, folder].map((arbitrary) => ({
        weight: 1,
        arbitrary: arbitrary as fc.Arbitrary<Part>,
      })),
    ),
    fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
  )
  .map(
    ([{ text, isMatch }, isExcluded]): Part =>
      isExcluded ? { text: `-${text}`, isMatch: (upload) => !isMatch(upload) } : { text, isMatch },
  );

export const someQuery: fc.Arbitrary<TypedQuery> = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom(" ", "  ", "\t"))
  .map(([parts, space]) => ({
    text: parts.map(({ text }) => text).join(space),
    isMatch: (upload) => parts.every(({ isMatch }) => isMatch(upload)),
  }));
