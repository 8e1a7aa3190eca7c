/**
 * Override: the `authorization_details` (RFC 9396) of a grant can be replaced.
 *
 * oidc-provider can only add to them. A consent page shows the current request, so an earlier
 * limit that it does not show must not remain.
 */
import type { Grant } from "oidc-provider";

/** Replaces the details of a grant; undefined removes them. */
export function replaceDetails(grant: Grant, details: readonly object[] | undefined): void {
  Object.assign(grant, { rar: details });
}
