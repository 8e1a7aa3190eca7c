/** The step in which a person allows a client what it asks for. */
import type Provider from "oidc-provider";
import type { Interaction } from "oidc-provider";
import type pg from "pg";
import type { BucketDetail } from "../authorization-details/bucket-detail.ts";
import { describeDetails } from "../authorization-details/describe-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { describeScopes, openIdScopes } from "../model/scopes.ts";
import { accountIdOf } from "../model/subjects.ts";
import { replaceDetails } from "../overrides/grant-details.ts";
import { errors } from "../overrides/library.ts";
import { answerPage } from "../pages/answer-page.ts";
import { findAccount } from "../store/accounts.ts";
import { type Consent, storeConsents } from "../store/consents.ts";
import { consentPage } from "./consent-page.ts";
import { allow } from "./existing-grant.ts";
import { askingClient, declined, type Step } from "./step.ts";

/** What the step needs. */
interface ConsentOptions {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
}

/** The step for the prompt `consent`. */
export function consentStep({ provider, authUrl, pool }: ConsentOptions): Step {
  return {
    async show(ctx, interaction) {
      const client = await askingClient(provider, interaction);
      const account = await findAccount(pool, requireAccountId(interaction));
      const { scopes, resources, details } = requestOf(interaction);
      const page = consentPage({
        clientName: client.name,
        loginName: account?.loginName ?? "",
        returnsTo: hostOf(client.redirectUri),
        scopes: describeScopes(scopes),
        limits: describeDetails(details ?? []),
        resources: resources.map((resource) => (resource === authUrl ? "this service" : resource)),
      });
      answerPage(ctx, 200, page, [client.redirectUri]);
    },
    async submit(_ctx, interaction, form) {
      if (form.get("act") !== "allow") return declined;
      const accountId = requireAccountId(interaction);
      const { clientId } = await askingClient(provider, interaction);
      const { details, ...request } = requestOf(interaction);
      const consents = consentsOf(request, authUrl);
      const grant = await grantFor(provider, interaction, clientId);
      allow(grant, consents);
      replaceDetails(grant, details);
      const grantId = await grant.save();
      // A limited consent does not answer a later request without limits.
      if (details === undefined) await storeConsents(pool, accountId, clientId, consents);
      return { consent: { grantId } };
    },
  };
}

interface RequestedAccess {
  scopes: readonly string[];
  resources: readonly string[];
}

function requestOf({
  params,
}: Interaction): RequestedAccess & { details: readonly BucketDetail[] | undefined } {
  const { scope, resource, authorization_details } = params as Record<string, string | undefined>;
  return {
    scopes: scope?.split(" ") ?? [],
    resources: [resource ?? []].flat(),
    details: readDetails(authorization_details),
  };
}

function consentsOf({ scopes, resources }: RequestedAccess, authUrl: string): Consent[] {
  const own = scopes.filter((scope) => openIdScopes.includes(scope));
  const others = scopes.filter((scope) => !openIdScopes.includes(scope));
  const servers = resources.filter((resource) => resource !== authUrl);
  return [
    { resource: "", scopes: own },
    ...servers.map((resource) => ({ resource, scopes: others })),
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

/** The host that people are redirected to, or the scheme of an application. */
function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return host || protocol.replace(":", "");
}
