/** The step in which a person allows a client what it asks for. */
import type Provider from "oidc-provider";
import type { Interaction } from "oidc-provider";
import type pg from "pg";
import type { BucketDetail } from "../authorization-details/bucket-detail.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { grantSeconds, type Lifetimes } from "../model/lifetimes.ts";
import { openIdScopes } from "../model/scopes.ts";
import { accountIdOf } from "../model/subjects.ts";
import { errors } from "../overrides/library.ts";
import { answerPage } from "../pages/answer-page.ts";
import { findAccount } from "../store/accounts.ts";
import { recordEvent } from "../store/audit-events.ts";
import { type Consent, storeConsents } from "../store/consents.ts";
import { findSurplusLogins, storeGrant } from "../store/grants.ts";
import { consentPage } from "./consent-page.ts";
import { describeRequest } from "./describe-request.ts";
import { declined, requestingClient, type Step } from "./step.ts";

/** What the step needs. */
interface ConsentOptions {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
  lifetimes: Lifetimes;
  /** Revokes a grant with everything that rests on it. */
  revokeGrant: (grantId: string) => Promise<void>;
}

/** The step for the prompt `consent`. */
export function consentStep(options: ConsentOptions): Step {
  const { provider, authUrl, pool, lifetimes } = options;
  return {
    async show(ctx, interaction) {
      const client = await requestingClient(provider, interaction);
      const account = await findAccount(pool, requireAccountId(interaction));
      const page = consentPage({
        clientName: client.name,
        loginName: account?.loginName ?? "",
        asked: describeRequest(client.name, interaction.params, authUrl),
        next:
          client.redirectUri === undefined
            ? "you can go back to your device"
            : `you are sent to ${hostOf(client.redirectUri)}`,
      });
      answerPage(ctx, 200, page);
    },
    async submit(ctx, interaction, form) {
      if (form.get("act") !== "allow") return declined;
      const accountId = requireAccountId(interaction);
      const { clientId, isNative } = await requestingClient(provider, interaction);
      const { details, ...request } = requestOf(interaction);
      const consents = consentsOf(request, authUrl);
      const { uid: sessionUid = "", accountId: subject } = interaction.session ?? {};
      const owner = { accountId: String(subject), clientId };
      const outlivesSession = isNative && request.scopes.includes("offline_access");
      const stored = await storeGrant(pool, {
        ...owner,
        sessionUid,
        reason: outlivesSession ? "askedForLogin" : "asked",
        consents,
        details,
        expiresInSeconds: grantSeconds(lifetimes),
      });
      if (typeof stored === "string") throw new errors.SessionNotFound("the session has ended");
      const { grantId } = stored;
      const surplus = outlivesSession ? await findSurplusLogins(pool, owner, grantId) : [];
      for (const surplusId of surplus) await options.revokeGrant(surplusId);
      // A consent within limits is not stored: it must not answer a later request without limits.
      if (details === undefined) await storeConsents(pool, accountId, clientId, consents);
      await recordEvent(pool, {
        kind: "consent_given",
        subject: owner.accountId,
        clientId,
        address: ctx.ip,
        details: { grantId, consents, ...(details && { authorizationDetails: details }) },
      });
      return { consent: { grantId } };
    },
  };
}

interface RequestedScopes {
  scopes: readonly string[];
  resources: readonly string[];
}

function requestOf({
  params,
}: Interaction): RequestedScopes & { details: readonly BucketDetail[] | undefined } {
  const { scope, resource, authorization_details } = params as Record<string, string | undefined>;
  return {
    scopes: scope?.split(" ") ?? [],
    resources: [resource ?? []].flat(),
    details: readDetails(authorization_details),
  };
}

function consentsOf({ scopes, resources }: RequestedScopes, authUrl: string): Consent[] {
  const own = scopes.filter((scope) => openIdScopes.includes(scope));
  const others = scopes.filter((scope) => !openIdScopes.includes(scope));
  const servers = resources.filter((resource) => resource !== authUrl);
  return [
    { resource: "", scopes: own },
    ...servers.map((resource) => ({ resource, scopes: others })),
  ].filter((consent) => consent.scopes.length > 0);
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
