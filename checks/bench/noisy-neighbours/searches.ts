/** The searches of the neighbour. */
import { listUploadsPath } from "../../conformance/testing/json-caller.ts";
import { organisationId } from "../data-set/data-set.ts";
import { listShapes, pageBody } from "../testbed/list-requests.ts";
import type { Testbed } from "../testbed/testbed.ts";
import type { Call } from "./callers/caller.ts";

/**
 * Patterns of single characters, for which neither n-grams nor the inverted index help: all plans
 * are tried, the last one without a limit. The others are the slowest of the benchmark `search`.
 */
const slowPatterns = ["*a*e*i*o*u*?*z*", "*z*e*x*i*q*", "*u*o*i*e*a*?*k*"];
const slowTerms = [...slowPatterns, "*2019*.pdf", "img_10?1*.jpg"];
/** Few things are this old, and most names have the letter. */
const oldThings = {
  search: "e",
  dateFrom: "2016-01-01T00:00:00Z",
  dateTo: "2016-06-01T00:00:00Z",
  tags: { noneOf: ["draft"] },
};

export function slowSearches(testbed: Testbed): Call[] {
  const narrowings = [...slowTerms.map((search) => ({ search })), oldThings];
  return listShapes
    .filter(({ scope, sortBy }) => scope !== "folder" && sortBy !== "created_at")
    .flatMap((shape) =>
      narrowings.map((narrowing) => ({ ...pageBody(shape, testbed.places), ...narrowing })),
    )
    .map((body, index) => callOfNeighbour(testbed, listUploadsPath, body, index));
}

/** Typed character by character. The first search already takes longer than one keystroke. */
const typedText = "*x*quarterly report 2019";
const typedBefore = 3;

export function typedSearches(testbed: Testbed): Call[] {
  return Array.from(typedText.slice(typedBefore), (_, index) => {
    const search = typedText.slice(0, typedBefore + index + 1);
    return callOfNeighbour(testbed, listUploadsPath, { search, sortBy: "size_bytes" }, index);
  });
}

/** The neighbour's clients take turns. */
const clientCount = 20;

export function callOfNeighbour(testbed: Testbed, path: string, body: object, index: number): Call {
  const token = testbed.tokenOf(organisationId, `neighbour-${index % clientCount}`);
  return { path, token, body: JSON.stringify(body) };
}
