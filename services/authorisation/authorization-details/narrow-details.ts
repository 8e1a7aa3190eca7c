/** Keeps what is asked for within what was granted before. */
import { errors } from "../overrides/library.ts";
import type { BucketDetail } from "./bucket-detail.ts";

/** An entry as it stands in requests and in tokens. One of a token of ours was checked before. */
interface Detail {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** What limits a token. Absent: nothing does. */
export type Details = readonly Detail[] | undefined;

/**
 * Gives what a token is limited to that is made from another: what is asked for, or else what the
 * other one is limited to.
 *
 * @throws errors.InvalidAuthorizationDetails when more is asked for than the other one has.
 */
export function narrowDetails(requested: Details, granted: Details): Details {
  if (requested === undefined) return granted;
  if (isWithin(requested, granted)) return requested;
  throw new errors.InvalidAuthorizationDetails(
    "authorization_details go beyond those that were granted before",
  );
}

/**
 * Whether everything that `narrow` allows is allowed by `wide` too. Entries add up, so each
 * combination of bucket, action and location must be in some entry; a subtree lies in a union of
 * subtrees only if it lies in one of them.
 */
export function isWithin(narrow: Details, wide: Details): boolean {
  if (wide === undefined) return true;
  if (narrow === undefined) return false;
  return narrow.every((entry) => {
    const { actions, locations } = partsOf(entry);
    return actions.every((action) =>
      locations.every((location) => wide.some((other) => covers(other, entry, action, location))),
    );
  });
}

function covers(
  wide: Detail,
  { type, identifier }: Detail,
  action: string,
  location: string,
): boolean {
  const { actions, locations } = partsOf(wide);
  return (
    wide.type === type &&
    (wide.identifier === undefined || wide.identifier === identifier) &&
    actions.includes(action) &&
    locations.some((folder) => isInside(location, folder))
  );
}

function partsOf(entry: Detail) {
  const { actions, locations = ["/"] } = entry as BucketDetail;
  return { actions: actions as readonly string[], locations };
}

/** Whole segments only: `/ab` is not in `/a`. */
function isInside(location: string, folder: string): boolean {
  return folder === "/" || location === folder || location.startsWith(`${folder}/`);
}
