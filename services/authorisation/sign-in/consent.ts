/** Allowing a client what it asks for. */
import type Provider from "oidc-provider";
import type { Interaction, KoaContextWithOIDC } from "oidc-provider";
import type { BucketDetail } from "../authorization-details/bucket-detail.ts";
import { describeDetails } from "../authorization-details/describe-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { describeScopes, openIdScopes } from "../model/scopes.ts";
import { accountIdOf } from "../model/subjects.ts";
import { errors } from "../overrides/library.ts";
import { answerPage } from "../pages/answer-page.ts";
import type { Account } from "../store/accounts.ts";
import type { Consent } from "../store/consents.ts";
import { consentPage } from "./consent-page.ts";
import { allow } from "./existing-grant.ts";
import type { Step } from "./sign-in-pages.ts";
import { askingClient, declined } from "./step.ts";

/** What it takes. */
export interface ConsentOptions {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  /** Finds an account by its UUID. */
  findAccount: (accountId: string) => Promise<Account | undefined>;
  storeConsents: (
    accountId: string,
    clientId: string,
    consents: readonly Consent[],
  ) => Promise<void>;
}

/** The step of the prompt `consent`. */
export function consentStep(options: ConsentOptions): Step {
  const { provider, authUrl, findAccount, storeConsents } = options;

  return {
    async show(ctx, interaction) {
      const client = await askingClient(provider, interaction);
      const account = await findAccount(requireAccountId(interaction));
      const { scopes, resources, details } = wishOf(interaction);
      const page = consentPage({
        clientName: client.name,
        loginName: account?.loginName ?? "",
        returnsTo: hostOf(client.redirectUri),
        wishes: describeScopes(scopes),
        limits: describeDetails(details ?? []),
        resources: resources.map((resource) => (resource === authUrl ? "this service" : resource)),
      });
      answerPage(ctx as KoaContextWithOIDC, 200, page, [client.redirectUri]);
    },
    async take(_ctx, interaction, form) {
      if (form.get("act") !== "allow") return declined;
      const accountId = requireAccountId(interaction);
      const { clientId } = await askingClient(provider, interaction);
      const { details, ...wish } = wishOf(interaction);
      const consents = consentsOf(wish, authUrl);
      const grant = await grantFor(provider, interaction, clientId);
      allow(grant, consents);
      // What was shown is what is allowed: an earlier limit that was not shown is no more.
      Object.assign(grant, { rar: details });
      const grantId = await grant.save();
      // A limited consent says nothing of an unlimited request.
      if (details === undefined) await storeConsents(accountId, clientId, consents);
      return { consent: { grantId } };
    },
  };
}

interface Wish {
  scopes: readonly string[];
  resources: readonly string[];
}

function wishOf({ params }: Interaction): Wish & { details: readonly BucketDetail[] | undefined } {
  const { scope, resource, authorization_details } = params as Record<string, string | undefined>;
  return {
    scopes: scope?.split(" ") ?? [],
    resources: [resource ?? []].flat(),
    details: readDetails(authorization_details),
  };
}

function consentsOf({ scopes, resources }: Wish, authUrl: string): Consent[] {
  const [own, others] = [true, false].map((isOwn) =>
    scopes.filter((scope) => openIdScopes.includes(scope) === isOwn),
  ) as [string[], string[]];
  return [
    { resource: "", scopes: own },
    ...resources
      .filter((resource) => resource !== authUrl)
      .map((resource) => ({ resource, scopes: others })),
  ].filter((consent) => consent.scopes.length > 0);
}

async function grantFor(provider: Provider, { grantId, session }: Interaction, clientId: string) {
  const accountId = session?.accountId;
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (known?.accountId === accountId && known?.clientId === clientId) return known;
  return new provider.Grant({ accountId, clientId });
}

function requireAccountId({ session }: Interaction): string {
  const accountId = session?.accountId === undefined ? undefined : accountIdOf(session.accountId);
  if (accountId === undefined) throw new errors.SessionNotFound("nobody is signed in");
  return accountId;
}

/** What tells people best where they go: programs of their own have a scheme only. */
function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return host || protocol.replace(":", "");
}
