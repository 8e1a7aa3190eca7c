/** One step of an interaction, such as signing in: what its page shows and what it reads. */
import type Provider from "oidc-provider";
import type { Interaction, InteractionResults, KoaContextWithOIDC } from "oidc-provider";
import { type RegisteredClient, registeredClient } from "../grants/registered-client.ts";
import { errors } from "../overrides/library.ts";

/** A step, with a page of its own. */
export interface Step {
  /** Shows the page. */
  show(ctx: KoaContextWithOIDC, interaction: Interaction): Promise<void>;
  /**
   * Handles the form of the page. Returns the outcome, with which the client's request continues;
   * undefined if it has shown the page again.
   */
  submit(
    ctx: KoaContextWithOIDC,
    interaction: Interaction,
    form: URLSearchParams,
  ): Promise<InteractionResults | undefined>;
}

/** The outcome when a person declines (RFC 6749 section 4.1.2.1). */
export const declined = {
  error: "access_denied",
  error_description: "the person has declined",
};

/** The client whose request a page is about. */
interface AskingClient extends RegisteredClient {
  /** Its display name. */
  name: string;
  /** Whether it runs on people's devices. */
  isNative: boolean;
  /** Where its request ends; undefined: on another device. */
  redirectUri: string | undefined;
}

/** Finds the client of an interaction. @throws errors.SessionNotFound if it was removed */
export async function requestingClient(
  provider: Provider,
  { params }: Interaction,
): Promise<AskingClient> {
  const client = await provider.Client.find(String(params.client_id));
  if (client === undefined) throw new errors.SessionNotFound("the client was removed");
  return {
    ...registeredClient(client),
    name: client.clientName ?? client.clientId,
    isNative: client.applicationType === "native",
    redirectUri: params.redirect_uri as string | undefined,
  };
}
