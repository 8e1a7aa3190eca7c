/** The requests for the pages that are measured, of every sort of every part of the bucket. */
import { laterPageRequest } from "../stage/call-service.ts";
import {
  type ListShape,
  listShapes,
  newestOfFolder,
  pageRequest,
  uploadsOf,
} from "../stage/list-shapes.ts";
import type { Stage } from "../stage/stage.ts";

export interface SortedPages {
  readonly shape: ListShape;
  readonly first: object;
  readonly late: object;
}

/** Or the last full page, of a list that has not so many. */
export const latePage = 200;

/** Those of the newest of the folder come first. */
export async function sortedPages(stage: Stage): Promise<readonly SortedPages[]> {
  const others = listShapes.filter((shape) => !isSame(shape, newestOfFolder));
  const pages: SortedPages[] = [];
  for (const shape of [newestOfFolder, ...others]) {
    const first = pageRequest(shape, stage.places);
    const uploads = uploadsOf(shape, stage.places);
    const late = await laterPageRequest(stage, first, { number: latePage, uploads });
    pages.push({ shape, first, late });
  }
  return pages;
}

function isSame(one: ListShape, other: ListShape): boolean {
  return Object.entries(one).every(([name, value]) => other[name as keyof ListShape] === value);
}
