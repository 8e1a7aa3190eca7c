/**
 * Every term in every list, one request at a time, in an order that chance determines. A first one
 * of all of them is not measured.
 */
import { listUploadsPath } from "../../conformance/testing/json-caller.ts";
import { Random } from "../data-set/random.ts";
import { httpRequest } from "../load/http-request.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import { type ListShape, listShapes, pageRequest } from "../stage/list-shapes.ts";
import { openIndexSteps } from "../yardsticks/index-steps.ts";
import { noSearch, type Term, terms } from "./terms.ts";

export interface SearchedList {
  readonly term: Term;
  readonly shape: ListShape;
  /** Of its requests; none when the time was over before it had its turn. */
  readonly latenciesMs: number[];
}

export interface SearchMeasurement {
  readonly lists: readonly SearchedList[];
  /** Of the yardstick, in between. */
  readonly yardsticksMs: readonly number[];
}

/** Few enough that the program can be stopped, and the time kept. */
const requestsPerOrder = 20;

/** At least one order is carried out, however short the time. */
export async function measureSearch({
  stage,
  seconds,
  signal,
}: DataBenchmarkRun): Promise<SearchMeasurement> {
  await using yardstick = openIndexSteps(stage.databaseUrl, stage.places.bucketId);
  const yardsticksMs: number[] = [];
  const lists = [noSearch, ...terms].flatMap((term) =>
    listShapes.map((shape): SearchedList => ({ term, shape, latenciesMs: [] })),
  );
  const ask = async (asked: readonly SearchedList[]) => {
    const requests = asked.map(({ term, shape }) => {
      const request = { ...pageRequest(shape, stage.places), search: term.text };
      return httpRequest(listUploadsPath, stage.token(), request);
    });
    const { port } = stage.service;
    return (await stage.load.obey({ kind: "each", port, requests })).latenciesMs;
  };
  const random = new Random(1);
  // Until the code is compiled, statements are planned, and what is read is in memory.
  for (const asked of sliced(shuffled(random, lists))) {
    signal.throwIfAborted();
    await ask(asked);
    await yardstick.measureMs();
  }

  const endMs = performance.now() + seconds * 1000;
  do {
    for (const asked of sliced(shuffled(random, lists))) {
      signal.throwIfAborted();
      const latenciesMs = await ask(asked);
      for (const [index, list] of asked.entries()) list.latenciesMs.push(latenciesMs[index]!);
      yardsticksMs.push(await yardstick.measureMs());
      if (performance.now() > endMs) break;
    }
  } while (performance.now() < endMs);
  return { lists, yardsticksMs };
}

function shuffled<Element>(random: Random, elements: readonly Element[]): Element[] {
  return elements
    .map((element) => ({ element, place: random.fraction() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ element }) => element);
}

function sliced<Element>(elements: readonly Element[]): Element[][] {
  const count = Math.ceil(elements.length / requestsPerOrder);
  return Array.from({ length: count }, (_, index) =>
    elements.slice(index * requestsPerOrder, (index + 1) * requestsPerOrder),
  );
}
