/** Our clients as oidc-provider sees them: what we add to its metadata, written and read here. */
import type { AdapterPayload, Client } from "oidc-provider";
import type { ClientRecord } from "../store/find-client.ts";

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
    // oidc-provider hands this back to compareClientSecret, which knows that it is a hash.
    client_secret: record.secretHash,
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["client_credentials"],
    response_types: [],
    redirect_uris: [],
    application_id: record.applicationId,
    organisation_id: record.organisationId,
    allowed_scopes: record.scopes,
  };
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
