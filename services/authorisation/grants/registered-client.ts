/** Our clients as oidc-provider sees them: what we add to its metadata, written and read here. */
import type { AdapterPayload, Client } from "oidc-provider";
import { bucketDetailType } from "../authorization-details/bucket-detail.ts";
import type { ClientRecord } from "../store/clients.ts";

/** What we keep about a client beyond OAuth's own metadata. */
export interface RegisteredClient {
  clientId: string;
  applicationId: string;
  organisationId: string;
  scopes: readonly string[];
}

/** Metadata of ours that oidc-provider must let through. */
export const extraClientMetadata = {
  properties: ["application_id", "organisation_id", "allowed_scopes"],
};

/** A stored client as metadata (RFC 7591 section 2). */
export function toClientMetadata(record: ClientRecord): AdapterPayload {
  return {
    client_id: record.clientId,
    ...(record.name && { client_name: record.name }),
    // oidc-provider hands the hash back to compareClientSecret, which knows that it is one.
    ...(record.secretHash !== null && { client_secret: record.secretHash }),
    token_endpoint_auth_method: record.secretHash === null ? "none" : "client_secret_basic",
    application_type: record.isNative ? "native" : "web",
    grant_types: grantTypesOf(record),
    authorization_details_types: [bucketDetailType],
    response_types: record.grantTypes.includes("authorization_code") ? ["code"] : [],
    redirect_uris: record.redirectUris,
    post_logout_redirect_uris: record.postLogoutRedirectUris,
    ...(record.backChannelLogoutUri !== null && {
      backchannel_logout_uri: record.backChannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
    application_id: record.applicationId,
    organisation_id: record.organisationId,
    allowed_scopes: record.scopes,
  };
}

/** A token can only be exchanged for a lesser one, so whoever can prove who it is may do that. */
function grantTypesOf({ grantTypes, secretHash }: ClientRecord): string[] {
  return secretHash === null ? grantTypes : [...new Set([...grantTypes, tokenExchangeGrantType])];
}

/** Reads back what {@link toClientMetadata} wrote. */
export function registeredClient(client: Client): RegisteredClient {
  return {
    clientId: client.clientId,
    applicationId: client.application_id as string,
    organisationId: client.organisation_id as string,
    scopes: client.allowed_scopes as readonly string[],
  };
}

/** RFC 7523. */
export const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** RFC 8693. */
export const tokenExchangeGrantType = "urn:ietf:params:oauth:grant-type:token-exchange";
