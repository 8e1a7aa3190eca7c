/**
 * N-grams of names: sequences of at most three code points of `/name/`. The slashes, which no name
 * contains, mark where the name begins and ends.
 */
import type { NamePattern } from "./name-pattern.ts";

/** Code points of an n-gram. A shorter text is a prefix of n-grams. */
export const nGramLength = 3;

/** What the inverted index (schema/0006-terms.sql) has of every name that matches a pattern. */
interface TermNGrams {
  readonly nGrams: readonly string[];
  /** Prefixes of n-grams. Only if there are no n-grams, because they find much more. */
  readonly prefixes: readonly string[];
  /** Code points in the name, if the pattern determines it. */
  readonly nameLength: number | undefined;
}

/** If all three are empty, the index does not help. */
export function termNGrams({ rule, text }: NamePattern): TermNGrams {
  const runs = literalRuns({ rule, text });
  const ofRuns = runs.map((run) => ({ run, nGrams: adjacentNGrams(run) }));
  const areSeveral = ofRuns.filter(({ nGrams }) => nGrams.length > 0).length > 1;
  // The n-grams of a common extension are in a great many names and take long to read. Beside other
  // texts, one of them is enough.
  const nGrams = ofRuns.flatMap((each) =>
    areSeveral && isShortExtension(each.run) ? each.nGrams.slice(0, 1) : each.nGrams,
  );
  const prefixes = nGrams.length > 0 ? [] : runs.filter((run) => run.join("") !== "/");
  return {
    nGrams: [...new Set(nGrams)],
    prefixes: [...new Set(prefixes.map((run) => run.join("")))],
    nameLength: hasOneLength(rule, text) ? [...text].length : undefined,
  };
}

/**
 * All n-grams of every match, which the skip index (schema/0008-skip-index.sql) has bitmaps of. A
 * text that is shorter than an n-gram is one itself. Empty if every name may match.
 */
export function allNGrams({ rule, text }: NamePattern): string[] {
  const nGrams = literalRuns({ rule, text }).flatMap((run) => {
    const count = Math.max(run.length - nGramLength + 1, 1);
    return run.slice(0, count).map((_, at) => run.slice(at, at + nGramLength).join(""));
  });
  return [...new Set(nGrams)].filter((nGram) => nGram !== "/");
}

/** The literal texts of a pattern as code points, with slashes at the ends of the name. */
export function literalRuns({ rule, text }: Pick<NamePattern, "rule" | "text">): string[][] {
  const marked = {
    equals: () => [`/${text}/`],
    prefix: () => [`/${text}`],
    contains: () => [text],
    glob: () => `/${text}/`.split(/[*?]/),
  };
  return marked[rule]()
    .filter((run) => run !== "")
    .map((run) => [...run]);
}

// Side by side if possible: together they find hardly more than all n-grams, which overlap.
function adjacentNGrams(run: readonly string[]): string[] {
  const last = run.length - nGramLength;
  // The index also has the last two code points of a name.
  if (last < 0) return run.length === 2 && run[1] === "/" ? [run.join("")] : [];
  const starts = [];
  for (let start = 0; start < last; start += nGramLength) starts.push(start);
  return [...starts, last].map((start) => run.slice(start, start + nGramLength).join(""));
}

/** For example `.md/` and `.pdf/`, whose n-grams select nearly the same names. */
function isShortExtension(run: readonly string[]): boolean {
  return run[0] === "." && run.at(-1) === "/" && run.length < 2 * nGramLength;
}

function hasOneLength(rule: NamePattern["rule"], text: string): boolean {
  return rule === "equals" || (rule === "glob" && !text.includes("*"));
}
