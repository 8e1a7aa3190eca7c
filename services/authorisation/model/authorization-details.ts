/** Compares `authorization_details` (RFC 9396) by what they allow. */

/** An entry of a request or a token. Entries of our tokens are valid. */
interface Detail {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The limits of a token; undefined: none. */
export type Details = readonly Detail[] | undefined;

/**
 * Whether `wide` allows everything that `narrow` allows: each combination of bucket, action and
 * location must be in one entry. A subtree is in a union of subtrees only if it is in one of them.
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

/** The members of an entry of type `bucket`: see authorization-details/bucket-detail.ts. */
type BucketMembers = Detail & {
  readonly actions: readonly string[];
  readonly locations?: readonly string[];
};

function partsOf(entry: Detail) {
  const { actions, locations = ["/"] } = entry as BucketMembers;
  return { actions, locations };
}

/** `/ab` is not in `/a`. */
function isInside(location: string, folder: string): boolean {
  return folder === "/" || location === folder || location.startsWith(`${folder}/`);
}
