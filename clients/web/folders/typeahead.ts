/** Letters typed in the tree move to the next folder whose name begins with them. */
import type { TreeRow } from "./tree-rows.ts";

/** Letters that follow sooner belong to the same word. */
const pauseMs = 600;

/** Compares names as people read them: without case and accents, in the reader's language. */
const collator = new Intl.Collator(undefined, { usage: "search", sensitivity: "base" });

export function createTypeahead(now: () => number) {
  let typed = "";
  let typedAtMs = Number.NEGATIVE_INFINITY;
  /** The path of the row to go to. Undefined if no name begins with the letters. */
  return (letter: string, rows: readonly TreeRow[], index: number): string | undefined => {
    const nowMs = now();
    typed = nowMs - typedAtMs > pauseMs ? letter : typed + letter;
    typedAtMs = nowMs;
    // The same letter again goes to the next name, more letters may stay at this one.
    const isRepeated = typed.replaceAll(letter, "") === "";
    const prefix = isRepeated ? letter : typed;
    const first = isRepeated ? index + 1 : index;
    for (let step = 0; step < rows.length; step++) {
      const row = rows[(first + step) % rows.length];
      if (row !== undefined && beginsWith(row.name, prefix)) return row.path;
    }
    return undefined;
  };
}

function beginsWith(name: string, prefix: string): boolean {
  return collator.compare(name.slice(0, prefix.length), prefix) === 0;
}
