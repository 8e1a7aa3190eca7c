/**
 * N-grams of names: sequences of at most three code points of `/name/`. The slashes, which no name
 * contains, mark where the name begins and ends.
 */
import type { NamePattern } from "./name-pattern.ts";

/** Code points of an n-gram, if the text is not shorter. */
export const nGramLength = 3;

/**
 * All n-grams of every match, which the skip index (schema/0007-skip-index.sql) has bitmaps of. A
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
