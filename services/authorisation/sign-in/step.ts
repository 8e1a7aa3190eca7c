/** The client whose request people are asked about. */
import type Provider from "oidc-provider";
import type { Interaction } from "oidc-provider";
import { type RegisteredClient, registeredClient } from "../grants/registered-client.ts";
import { errors } from "../overrides/library.ts";

/** What the pages need of it. */
export interface AskingClient extends RegisteredClient {
  /** What people call it. */
  name: string;
  /** Where this request ends. */
  redirectUri: string;
}

/** Finds it. A client that was removed meanwhile asks no more. */
export async function askingClient(
  provider: Provider,
  { params }: Interaction,
): Promise<AskingClient> {
  const client = await provider.Client.find(String(params.client_id));
  if (client === undefined) throw new errors.SessionNotFound("the client was removed");
  return {
    ...registeredClient(client),
    name: client.clientName ?? client.clientId,
    redirectUri: String(params.redirect_uri),
  };
}

/** The outcome when somebody does not want to (RFC 6749 section 4.1.2.1). */
export const declined = {
  error: "access_denied",
  error_description: "the person has declined",
};
