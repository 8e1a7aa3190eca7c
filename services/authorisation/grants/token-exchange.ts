/**
 * Token exchange (RFC 8693): a client sends an access token of ours and gets another one for the
 * same subject. The new token never allows more, is never for another audience, and never lives
 * longer. Or it sends an ID token of another provider, and gets a token of that person.
 *
 * oidc-provider has authenticated the client. The new token names that client as `client_id`, and
 * the client of an access token as the last one in `act`.
 */
import type { AccessToken, Actor } from "@stowage/access-token";
import type { TokenEndpointGrantContext } from "oidc-provider";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import type { Details } from "../model/authorization-details.ts";
import { tokenExchangeGrantType } from "../model/grant-types.ts";
import { serviceAccountScope } from "../model/scopes.ts";
import { serviceAccountUrn, subjectOf } from "../model/subjects.ts";
import { errors } from "../overrides/library.ts";
import type { StoredAccount } from "../store/accounts.ts";
import { GrantRevokedError } from "../store/authorisations.ts";
import { readExchangeRequest } from "./exchange-request.ts";
import { type GrantOptions, issueToken } from "./issue-token.ts";
import type { ReadOwnToken } from "./own-tokens.ts";
import { type RegisteredClient, registeredClient } from "./registered-client.ts";
import { chooseScopes } from "./scopes-and-audience.ts";

/** Resource servers refuse tokens with more. */
const actorsMax = 4;

/**
 * Reads an ID token of another provider. Returns the person, and when the token expires in Unix
 * seconds; undefined if it is not valid, or the person may not use this service.
 */
export type ReadIdToken = (
  token: string,
  address: string,
) => Promise<{ account: StoredAccount; expiresAt: number } | undefined>;

/** What this grant needs. */
interface TokenExchangeOptions extends GrantOptions {
  readOwnToken: ReadOwnToken;
  readIdToken: ReadIdToken;
  /** Finds the person's grant that a token rests on; undefined for tokens without one. */
  findGrantOf: (authorisationId: string) => Promise<string | undefined>;
}

/** Makes the handler of the grant. */
export function tokenExchangeGrant(options: TokenExchangeOptions) {
  return async (ctx: TokenEndpointGrantContext): Promise<void> => {
    const request = readExchangeRequest(ctx);
    const client = registeredClient(ctx.oidc.client);
    const read = request.isIdToken ? readForeignToken : readSubjectToken;
    const source = await read(request.subjectToken, client, { ...options, address: ctx.ip });
    const { sessionId: sid, expiresAt: expiresAtMax, clientId } = source;
    const actor = clientId === undefined ? [] : [{ subject: serviceAccountUrn(clientId) }];
    const actors = [...actor, ...source.actors];
    requireShortChain(actors);

    const newAuthorisation = {
      grantType: tokenExchangeGrantType,
      clientId: client.clientId,
      applicationId: client.applicationId,
      organisationId: source.organisationId ?? client.organisationId,
      subject: source.subject,
      audience: narrowAudience(request.targets, source, options),
      scopes: narrowScopes(request.scope, source, client),
      authorizationDetails: narrowDetails(
        readDetails(request.authorizationDetails),
        source.authorizationDetails,
      ),
      sourceAuthorisationId: source.authorisationId,
      sid,
      grantId: source.authorisationId && (await options.findGrantOf(source.authorisationId)),
    };
    try {
      await issueToken(ctx, newAuthorisation, options, { actors, sid, expiresAtMax });
    } catch (error) {
      if (error instanceof GrantRevokedError) throw unacceptable();
      throw error;
    }
    Object.assign(ctx.body as object, { issued_token_type: request.issuedTokenType });
  };
}

/** What the new token rests on. */
interface Source
  extends Pick<AccessToken, "subject" | "audience" | "scopes" | "actors" | "expiresAt">,
    Partial<Pick<AccessToken, "clientId" | "organisationId" | "sessionId" | "authorisationId">> {
  authorizationDetails?: Details | undefined;
}

/** The person of an ID token, with the scopes of the client, for any of our resource servers. */
async function readForeignToken(
  text: string,
  { scopes, organisationId, isForAnyOrganisation }: RegisteredClient,
  { readIdToken, audiences, address }: TokenExchangeOptions & { address: string },
): Promise<Source> {
  const found = await readIdToken(text, address);
  if (found === undefined) throw unacceptable();
  const { account, expiresAt } = found;
  if (!isForAnyOrganisation && account.organisationId !== organisationId) throw unacceptable();
  return {
    subject: subjectOf(account.accountId),
    organisationId: account.organisationId,
    authorizationDetails: account.authorizationDetails ?? undefined,
    audience: audiences,
    scopes: new Set(scopes.filter((scope) => scope !== serviceAccountScope)),
    actors: [],
    expiresAt,
  };
}

async function readSubjectToken(
  text: string,
  { clientId, organisationId, isForAnyOrganisation }: RegisteredClient,
  { readOwnToken }: TokenExchangeOptions,
): Promise<Source> {
  const token = await readOwnToken(text);
  // A client for any organisation may exchange what it has got for people of other ones.
  const isOwn = isForAnyOrganisation && token?.clientId === clientId;
  const isAllowed = token !== undefined && (isOwn || token.organisationId === organisationId);
  if (!isAllowed) throw unacceptable();
  return token;
}

/** RFC 8693 section 2.2.2. The answer does not reveal whether the token is valid. */
function unacceptable() {
  return new errors.InvalidRequest(
    "the subject_token is not valid, or this client may not exchange it",
  );
}

function requireShortChain(actors: readonly Actor[]): void {
  if (actors.length <= actorsMax) return;
  throw new errors.InvalidRequest(
    `the subject_token has been exchanged ${actorsMax} times, which is the most`,
  );
}

/** One resource server of the source. */
function narrowAudience(
  [target, ...others]: readonly string[],
  source: Source,
  { audiences }: TokenExchangeOptions,
): string {
  if (others.length > 0) throw new errors.InvalidTarget("only one target can be asked for");
  const audience = audiences
    .filter((known) => source.audience.includes(known))
    .find((known) => target === undefined || known === target);
  if (audience !== undefined) return audience;
  throw new errors.InvalidTarget("the target is not among those of the subject_token");
}

/** A service account stays one, and no other subject becomes one. */
function narrowScopes(
  requested: string | undefined,
  { scopes }: Source,
  client: RegisteredClient,
): string[] {
  const always = scopes.has(serviceAccountScope) ? serviceAccountScope : undefined;
  const allowed = client.scopes.filter(
    (scope) => scopes.has(scope) && scope !== serviceAccountScope,
  );
  const granted = chooseScopes(requested, allowed, always);
  if (granted.length > 0) return granted;
  throw new errors.InvalidScope("the client is allowed no scope of the subject_token", "");
}
