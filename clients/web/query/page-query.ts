/** The query of the address, as `api/query` reads it, and what of it is sent. */
import {
  type FilterPart,
  parseQuery,
  type QueryPart,
  queryPartsMax,
  type WordPart,
  type WrongPart,
} from "@stowage/api/query/parse-query";
import { filterNeeds } from "@stowage/api/query/read-filter";

export interface PageQuery {
  readonly parts: readonly QueryPart[];
  /** The words that must be found. */
  readonly words: readonly WordPart[];
  readonly filters: readonly FilterPart[];
  /** Filters whose value is none. They are not sent, so that the rest still searches. */
  readonly wrong: readonly WrongPart[];
  /** Whether it has more words or filters than the service takes. The last ones are not sent. */
  readonly hasTooMany: boolean;
  /** The query of calls. Empty: nothing is searched for. */
  readonly sent: string;
}

let last = { text: "", query: read("") };

/** The same object until the text changes: many rows ask for it. */
export function readQuery(text: string): PageQuery {
  if (text !== last.text) last = { text, query: read(text) };
  return last.query;
}

function read(text: string): PageQuery {
  const parts = parseQuery(text, BigInt(Date.now()) * 1000n);
  const allWords = parts.filter((part) => part.kind === "word");
  const filters = parts.filter((part) => part.kind === "filter");
  const wrong = parts.filter((part) => part.kind === "wrong");
  const sentParts: readonly QueryPart[] = [
    ...allWords.slice(0, queryPartsMax),
    ...filters.slice(0, queryPartsMax),
  ];
  return {
    parts,
    words: allWords.filter(({ isExcluded }) => !isExcluded),
    filters,
    wrong,
    hasTooMany: sentParts.length < allWords.length + filters.length,
    sent: joinParts(parts.filter((part) => sentParts.includes(part)).map(({ written }) => written)),
  };
}

const openQuote = new RegExp(
  `^-?(?:(?:${Object.keys(filterNeeds).join("|")}):)?"(?:[^"]|"")*$`,
  "i",
);

/** A query of these parts. A quote that is still open must not enclose the next part. */
export function joinParts(written: readonly string[]): string {
  return written.map((part) => (openQuote.test(part) ? `${part}"` : part)).join(" ");
}
