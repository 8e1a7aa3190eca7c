/**
 * What a refresh asks for, checked before the refresh token is used up: a client that asks for too
 * much by mistake keeps it, and is not taken for a thief when it tries again.
 */
import type { KoaContextWithOIDC } from "oidc-provider";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { chooseAudience, isStillForIssuer } from "./choose-audience.ts";

/**
 * @throws errors.InvalidAuthorizationDetails or errors.InvalidTarget for more than was granted; the
 *   scope is checked by oidc-provider itself.
 */
export function checkRefreshRequest({ oidc }: KoaContextWithOIDC): void {
  const { params = {}, entities, provider } = oidc;
  const { authorization_details: details, resource } = params as RefreshParameters;
  const { rar, resource: granted } = entities.RefreshToken ?? {};
  narrowDetails(readDetails(details), rar);
  if (resource === undefined) return;
  chooseAudience(resource, { audiences: [granted ?? []].flat(), issuer: provider.issuer });
  isStillForIssuer(resource, granted, provider.issuer);
}

interface RefreshParameters {
  authorization_details?: string;
  resource?: string | string[];
}
