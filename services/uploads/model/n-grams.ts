import type { NamePattern } from "./name-pattern.ts";

/**
 * Pieces of at most three code points that every name matching a pattern has. The index knows names
 * by such pieces, taken at every place of `/name/`; the slashes, which no name holds, mark where it
 * begins and ends.
 */
interface NamePieces {
  /** Whole pieces. */
  readonly whole: readonly string[];
  /** Beginnings of pieces; only where there are no whole ones, since they find much more. */
  readonly beginnings: readonly string[];
  /** Code points in the name, where the pattern leaves no choice. */
  readonly length: number | undefined;
}

/** The pieces of a search's pattern. None at all: the index is no help. */
export function namePieces({ rule, text }: NamePattern): NamePieces {
  const runs = literalRuns({ rule, text });
  const piecesOfRuns = runs.map((run) => ({ run, pieces: wholePieces(run) }));
  const areSeveral = piecesOfRuns.filter(({ pieces }) => pieces.length > 0).length > 1;
  // Beside other pieces, an extension is told by its beginning: each piece of a common one is in a
  // great many names, and takes long to read.
  const whole = piecesOfRuns.flatMap(({ run, pieces }) =>
    areSeveral && isShortExtension(run) ? pieces.slice(0, 1) : pieces,
  );
  const beginnings = whole.length > 0 ? [] : runs.filter((run) => run.join("") !== "/");
  return {
    whole: [...new Set(whole)],
    beginnings: [...new Set(beginnings.map((run) => run.join("")))],
    length: isOfOneLength(rule, text) ? [...text].length : undefined,
  };
}

/**
 * All pieces that stand in every match, not only as many as say nearly the same; of a stretch that
 * is shorter than a piece, the whole of it. None at all: every name may match.
 */
export function overlappingPieces({ rule, text }: NamePattern): string[] {
  const pieces = literalRuns({ rule, text }).flatMap((run) => {
    const places = Math.max(run.length - pieceLength + 1, 1);
    return run.slice(0, places).map((_, at) => run.slice(at, at + pieceLength).join(""));
  });
  return [...new Set(pieces)].filter((piece) => piece !== "/");
}

/** Code points of one piece; at the end of a name, pieces of two are left. */
const pieceLength = 3;

/** Stretches of code points that stand side by side in every match; slashes mark the ends. */
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

// Side by side as far as possible: few pieces find hardly more than all that overlap.
function wholePieces(run: readonly string[]): string[] {
  const last = run.length - pieceLength;
  if (last < 0) return run.length === 2 && run[1] === "/" ? [run.join("")] : [];
  const starts = [];
  for (let start = 0; start < last; start += pieceLength) starts.push(start);
  return [...starts, last].map((start) => run.slice(start, start + pieceLength).join(""));
}

/** Such as `.md/` and `.pdf/`, which are of two pieces that say nearly the same. */
function isShortExtension(run: readonly string[]): boolean {
  return run[0] === "." && run.at(-1) === "/" && run.length < 2 * pieceLength;
}

function isOfOneLength(rule: NamePattern["rule"], text: string): boolean {
  return rule === "equals" || (rule === "glob" && !text.includes("*"));
}
