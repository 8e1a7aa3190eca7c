import sql, { raw } from "sql-template-tag";
import { coveringFolders } from "../../model/covering-folders.ts";
import type { UploadQuery } from "../../model/upload-query.ts";
import { type ListScope, pageBound } from "../../search/upload-list.ts";
import { datesPlan } from "./dates-plan.ts";
import { directPlan } from "./direct-plan.ts";
import { folderPlan } from "./folder-plan.ts";
import { gatherPlan } from "./gather-plan.ts";
import { type CutPlan, type ListPlan, noParts, type PageOfList } from "./list-plan.ts";
import { walkPlan } from "./walk-plan.ts";
import { hasPieces, zoneWalkPlan } from "./zone-walk-plan.ts";

/** To be told what came of each plan. */
export type Plans = Generator<ListPlan, void, CutPlan>;

/**
 * The plans for a page, one after the other until one is not cut.
 *
 * There are two ways to find one: to walk in the order of the list until the page is full, which is
 * soon where much belongs to the list, and to collect all that belongs to it and sort that, which
 * is soon where little does. Which is the better one is found out by trying: they take turns, and
 * in each round may read 16 times as much as in the last, or 4 times where a walk has nearly filled
 * the page. So a page takes a few times as long as the better way would take by itself, whatever is
 * in the bucket; the planner's estimates are wrong by a hundred times where names are concerned.
 */
export function* plansFor(place: PageOfList): Plans {
  const bound = pageBound(place.page);
  const walk = place.scope.folder === undefined ? walkOfBucket : walkOfFolder;
  if (holdsNearlyAll(place.list.query, place.scope)) yield directPlan(place, bound * rowsPerUpload);
  const walkOver = place.scope.folder === undefined && hasPieces(place) ? zoneWalkPlan : walkPlan;
  let foundBefore = 0;
  let entriesMax = Number.POSITIVE_INFINITY;
  for (let round = 1, growth = growths.far; ; round *= growth) {
    const walked = bound * walk.entriesPerUpload * round;
    if (walked > entriesMax) break;
    const isCounted = round === 1 || walk.mayEndEarly;
    const { found, uploadsInBucket } = yield walkOver(place, walked, { isCounted });
    entriesMax = Math.max(uploadsInBucket, smallBucket);
    // Going on like that, the next walk fills the page.
    const willBeFull = found + (found - foundBefore) * expectedGrowth > bound;
    foundBefore = found;
    growth = willBeFull ? growths.near : growths.far;
    if (willBeFull && round === 1) continue;
    // What would take longer than to walk on is of no use.
    const expected = (walked * bound) / Math.max(found, 1) / entriesPerGathered;
    const uploads = Math.ceil(Math.min(gatheredPerRound * round, expected));
    yield* collectingPlans(place, { round, uploads }, uploadsInBucket);
  }
  yield walkOver(place, undefined, { isCounted: false });
}

/** How many times more the next walk may find: it is longer yet, but matches stand unevenly. */
const expectedGrowth = 3;

/** To look at a row takes some times as long as to step over an index entry. */
const rowsPerUpload = 20;
const walkOfBucket = { entriesPerUpload: 80, mayEndEarly: false };
/** No folder is as large as a bucket. */
const walkOfFolder = { entriesPerUpload: rowsPerUpload, mayEndEarly: true };

/** From round to round, where the page is nearly full and where not. */
const growths = { near: 4, far: 16 };

/** To gather so many takes about as long as the walk of the next round for fifty. */
const gatheredPerRound = 5000;
/** To gather an upload takes about as long as to walk over so many entries. */
const entriesPerGathered = 7;
const datedPerRound = 4000;
/** Large folders are often as large as this. */
const folderPerRound = 12_000;

/** Uploads that can be walked over in any case. */
const smallBucket = 100_000;

function* collectingPlans(
  place: PageOfList,
  { round, uploads }: { readonly round: number; readonly uploads: number },
  uploadsInBucket: number,
): Plans {
  const { sortBy, createdFrom, createdTo } = place.list.query;
  if (sortBy !== "created_at" && (createdFrom ?? createdTo) !== undefined) {
    yield datesPlan(place, { entries: datedPerRound * round, uploads });
  }
  const search = gatherPlan(place, { uploads, uploadsInBucket });
  if (search !== undefined) yield search;
  const { folder } = place.scope;
  // The folder's index does not tell when uploads were created.
  if (folder !== undefined && (createdFrom ?? createdTo) === undefined) {
    yield folderPlan(place, folder, { entries: folderPerRound * round, uploads });
  }
}

// But for what is hidden from the caller.
function holdsNearlyAll(query: UploadQuery, { folder, ranges = [] }: ListScope): boolean {
  const { tags, name, sortBy, createdFrom, createdTo } = query;
  const tagCount = tags.allOf.length + tags.anyOf.length + tags.noneOf.length;
  const isDated = sortBy !== "created_at" && (createdFrom ?? createdTo) !== undefined;
  const isFiltered = tagCount > 0 || name !== undefined || isDated;
  return !isFiltered && (folder !== undefined || coveringFolders(ranges).includes(""));
}

/** For a list that holds nothing: what is asked beside the list is answered all the same. */
export function* planForNothing(): Plans {
  const no = raw("false");
  const from = sql`uploads.uploads u`;
  yield { with: noParts, from, where: no, orderBy: sql`u.upload_id`, isCut: no, prepared: true };
}
