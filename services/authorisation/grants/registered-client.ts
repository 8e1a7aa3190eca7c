/** Our clients as oidc-provider sees them: metadata (RFC 7591 section 2) with members of ours. */
import type { AdapterPayload, Client } from "oidc-provider";
import { bucketDetailType } from "../authorization-details/bucket-detail.ts";
import { clientJwk } from "../model/client-keys.ts";
import { tokenExchangeGrantType } from "../model/grant-types.ts";
import type { StoredClient } from "../store/clients.ts";

/** What we store about a client in addition to OAuth's own metadata. */
export interface RegisteredClient {
  clientId: string;
  applicationId: string;
  organisationId: string;
  scopes: readonly string[];
  /** See model/keyed-hash.ts and model/scrypt-hash.ts. */
  secretHashes: readonly string[];
  isFirstParty: boolean;
  isForAnyOrganisation: boolean;
}

/** The members that {@link toClientMetadata} adds, for oidc-provider's configuration. */
export const extraClientMetadata = {
  properties: [
    "application_id",
    "organisation_id",
    "allowed_scopes",
    "secret_hashes",
    "is_first_party",
    "is_for_any_organisation",
  ],
};

/** The metadata of a stored client. */
export function toClientMetadata(record: StoredClient): AdapterPayload {
  const { secretHashes } = record;
  return {
    client_id: record.clientId,
    ...(record.name && { client_name: record.name }),
    ...authenticationOf(record),
    application_type: record.isNative ? "native" : "web",
    grant_types: grantTypesOf(record),
    authorization_details_types: [bucketDetailType],
    response_types: record.grantTypes.includes("authorization_code") ? ["code"] : [],
    redirect_uris: record.redirectUris,
    post_logout_redirect_uris: record.postLogoutRedirectUris,
    application_id: record.applicationId,
    organisation_id: record.organisationId,
    allowed_scopes: record.scopes,
    secret_hashes: secretHashes,
    is_first_party: record.isFirstParty,
    is_for_any_organisation: record.isForAnyOrganisation,
  };
}

function authenticationOf({ isPublic, publicKeyPem, secretHashes }: StoredClient): AdapterPayload {
  if (isPublic) return { token_endpoint_auth_method: "none" };
  if (publicKeyPem) {
    const jwk = clientJwk(publicKeyPem);
    return {
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: jwk.alg,
      jwks: { keys: [jwk] },
    };
  }
  // Hashes: see overrides/client-secrets.ts.
  const client_secret = secretHashes.join(" ");
  return { token_endpoint_auth_method: "client_secret_basic", client_secret };
}

/** Token exchange never permits more than before, so every client with a secret may use it. */
function grantTypesOf({ grantTypes, isPublic }: StoredClient): string[] {
  return isPublic ? grantTypes : [...new Set([...grantTypes, tokenExchangeGrantType])];
}

/** Reads what {@link toClientMetadata} wrote. */
export function registeredClient(client: Client): RegisteredClient {
  return {
    clientId: client.clientId,
    applicationId: client.application_id as string,
    organisationId: client.organisation_id as string,
    scopes: client.allowed_scopes as readonly string[],
    secretHashes: client.secret_hashes as readonly string[],
    isFirstParty: client.is_first_party as boolean,
    isForAnyOrganisation: client.is_for_any_organisation as boolean,
  };
}
