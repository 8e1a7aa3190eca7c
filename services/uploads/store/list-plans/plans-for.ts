import sql, { raw } from "sql-template-tag";
import { coveringFolders } from "../../domain/covering-folders.ts";
import type { UploadQuery } from "../../domain/upload-query.ts";
import { type ListScope, pageBound } from "../upload-list.ts";
import { datesPlan } from "./dates-plan.ts";
import { directPlan } from "./direct-plan.ts";
import { gatherPlan } from "./gather-plan.ts";
import { type CutPlan, type ListPlan, noParts, type PageOfList } from "./list-plan.ts";
import { walkPlan } from "./walk-plan.ts";

/** To be told what came of each plan. */
export type Plans = Generator<ListPlan, void, CutPlan>;

/**
 * The plans for a page, one after the other until one is not cut. What a plan finds within its
 * bound is the only estimate there is: the planner's own is wrong by a hundred times where names
 * are concerned. The last plan has no bound.
 */
export function plansFor(place: PageOfList): Plans {
  return place.scope.folder === undefined ? plansForBucket(place) : plansForFolder(place);
}

/** For a list that holds nothing: what is asked beside the list is answered all the same. */
export function* planForNothing(): Plans {
  const no = raw("false");
  const from = sql`uploads.uploads u`;
  yield { with: noParts, from, where: no, orderBy: sql`u.upload_id`, isCut: no, prepared: true };
}

/** A page of fifty is found within that of lists that hold one in eighty of the bucket. */
const entriesPerUpload = 80;
/** As many times further: for lists that hold much, or too much to gather. */
const longWalks = [8, 32] as const;
/** As many rows are gathered in less time than the longest walk. */
const gatheredMax = 5000;
const datedMax = 20_000;
/** Of a thousand uploads. What is more common than the first is sooner found by a walk. */
const commonMax = 20;
/** And of the last, sooner by reading the whole index. */
const commonMaxOfAll = 80;

function* plansForBucket(place: PageOfList): Plans {
  const { query } = place.list;
  const bound = pageBound(place.page);
  if (holdsNearlyAll(query, place.scope)) yield directPlan(place, bound * directEntriesPerUpload);
  const walked = bound * entriesPerUpload;
  const cut = yield walkPlan(place, walked);
  const near = nearWalk(walked, bound, cut);
  if (near !== undefined) yield walkPlan(place, near);
  if (query.sortBy !== "created_at" && (query.createdFrom ?? query.createdTo) !== undefined) {
    yield datesPlan(place, { entries: datedMax, uploads: gatheredMax });
  }
  yield* gather(place, { uploads: gatheredMax, commonMax });
  yield walkPlan(place, walked * longWalks[1]);
  yield* gather(place, { uploads: undefined, commonMax: commonMaxOfAll });
  yield walkPlan(place, undefined);
}

/** To gather an upload takes as long as to walk over so many. */
const entriesPerGathered = 10;

/**
 * How far to walk where, if things go on like that, a page is sooner found by a walk than by
 * gathering all that belongs to the list; none where it is not, or nearly not.
 */
function nearWalk(walked: number, bound: number, { found, uploadsInAll }: CutPlan) {
  const toWalk = (bound / found) * walked;
  const toGather = (found / walked) * uploadsInAll * entriesPerGathered;
  if (toWalk > toGather) return undefined;
  return longWalks.map((times) => walked * times).find((length) => toWalk * 1.5 < length);
}

/** Rows are looked at themselves, which costs ten times what an index entry does. */
const directEntriesPerUpload = 20;

function* plansForFolder(place: PageOfList): Plans {
  yield directPlan(place, pageBound(place.page) * directEntriesPerUpload);
  yield* gather(place, { uploads: gatheredMax, commonMax });
  yield* gather(place, { uploads: undefined, commonMax: commonMaxOfAll });
  yield directPlan(place, undefined);
}

function* gather(...parameters: Parameters<typeof gatherPlan>): Plans {
  const plan = gatherPlan(...parameters);
  if (plan !== undefined) yield plan;
}

// But for what is hidden from the caller.
function holdsNearlyAll(query: UploadQuery, { ranges = [] }: ListScope): boolean {
  const { tags, name, sortBy, createdFrom, createdTo } = query;
  const tagCount = tags.allOf.length + tags.anyOf.length + tags.noneOf.length;
  const isDated = sortBy !== "created_at" && (createdFrom ?? createdTo) !== undefined;
  return tagCount === 0 && name === undefined && !isDated && coveringFolders(ranges).includes("");
}
