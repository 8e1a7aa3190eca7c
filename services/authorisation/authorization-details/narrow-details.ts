/** Keeps requested authorization details within those that were granted before. */

import { type Details, isWithin } from "../model/authorization-details.ts";
import { errors } from "../overrides/library.ts";

/**
 * The limits of a token that rests on an earlier grant: the requested ones, or else the granted.
 *
 * @throws errors.InvalidAuthorizationDetails if the request exceeds the grant
 */
export function narrowDetails(requested: Details, granted: Details): Details {
  if (requested === undefined) return granted;
  if (isWithin(requested, granted)) return requested;
  throw new errors.InvalidAuthorizationDetails(
    "authorization_details go beyond those that were granted before",
  );
}
