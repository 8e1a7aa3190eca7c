/** Requests to the issuer, as a confidential client (RFC 6749, OpenID Connect). */
import { errorText, type Logger } from "@stowage/process";
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { WebError } from "../model/web-error.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

/** For one or two small answers. */
const timeoutMs = 5000;
/** How long the metadata is used. */
const metadataAgeMaxMs = 600_000;
/** Clocks of two machines are never exactly the same. */
export const clockToleranceSeconds = 30;
/** Signatures of ID tokens and logout tokens. */
export const signatureAlgorithms = ["RS256", "PS256", "ES256", "EdDSA"];

interface IssuerOptions {
  /** The issuer, exactly. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The service that tokens are for (RFC 8707). */
  readonly audience: string;
  readonly scope: string;
  /** Where the browser comes back to. */
  readonly redirectUri: string;
  readonly logger: Logger;
  /** A clock in milliseconds. Default: that of the process. */
  readonly now?: () => number;
}

/** What the issuer answers, once it is checked. */
interface Grant {
  readonly accessToken: string;
  /** Undefined if the refresh token stays the same. */
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
  readonly expiresInSeconds: number;
}

/** The issuer refuses a code or a refresh token, for good. */
export class GrantRefusedError extends Error {
  override readonly name = "GrantRefusedError";
}

/** Used when an issuer does not say how long a token is valid. */
const lifetimeDefaultSeconds = 300;

interface Discovered {
  readonly value: oauth.AuthorizationServer;
  readonly keys: JWTVerifyGetKey;
  readonly atMs: number;
}

export class Issuer {
  readonly client: oauth.Client;
  readonly options: IssuerOptions;
  readonly #authentication: oauth.ClientAuth;
  /** A refresh holds a connection to the database until the issuer answers. */
  readonly #refreshes = new CircuitBreaker({
    isTimeout,
    refusal: () => unavailable("it did not answer a moment ago"),
  });
  #metadata: Discovered | undefined;
  #discovering: Promise<Discovered> | undefined;

  constructor(options: IssuerOptions) {
    this.options = options;
    this.client = { client_id: options.clientId };
    this.#authentication = oauth.ClientSecretBasic(options.clientSecret);
  }

  /** The metadata (RFC 8414). @throws {WebError} if the issuer cannot be reached */
  async metadata(): Promise<oauth.AuthorizationServer> {
    return (await this.#discovered()).value;
  }

  /** Looks up the key of a signed token. @throws {WebError} if the issuer cannot be reached */
  async keys(): Promise<JWTVerifyGetKey> {
    return (await this.#discovered()).keys;
  }

  /** Where the browser goes to sign in. */
  async authorizationUrl(request: {
    state: string;
    nonce: string;
    codeVerifier: string;
  }): Promise<string> {
    const { redirectUri, scope, audience } = this.options;
    const { authorization_endpoint: endpoint } = await this.metadata();
    if (endpoint === undefined) throw unavailable("it has no page to sign in on");
    const url = new URL(endpoint);
    const parameters = {
      client_id: this.client.client_id,
      response_type: "code",
      redirect_uri: redirectUri,
      scope,
      resource: audience,
      state: request.state,
      nonce: request.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(request.codeVerifier),
      code_challenge_method: "S256",
      // OpenID Connect Core 1.0 section 11: otherwise offline_access is ignored.
      ...(scope.split(" ").includes("offline_access") && { prompt: "consent" }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * Exchanges a code.
   *
   * @param parameters those of the answer, which `validateAuthResponse` has checked
   * @throws {GrantRefusedError} if the issuer refuses the code, or the ID token is not for it
   * @throws {WebError} if the issuer cannot be reached
   */
  async exchangeCode(
    parameters: URLSearchParams,
    { nonce, codeVerifier }: { nonce: string; codeVerifier: string },
  ): Promise<{ grant: Grant & { idToken: string }; claims: oauth.IDToken }> {
    const metadata = await this.metadata();
    try {
      const response = await oauth.authorizationCodeGrantRequest(
        metadata,
        this.client,
        this.#authentication,
        parameters,
        this.options.redirectUri,
        codeVerifier,
        this.#http(),
      );
      const answer = await oauth.processAuthorizationCodeResponse(metadata, this.client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      const claims = oauth.getValidatedIdTokenClaims(answer);
      const { id_token: idToken } = answer;
      if (claims === undefined || idToken === undefined) {
        throw new GrantRefusedError("there is no ID token");
      }
      await this.#verify(idToken);
      return { grant: { ...grantOf(answer), idToken }, claims };
    } catch (error) {
      throw this.#problem("exchange a code", error);
    }
  }

  /**
   * Gets new tokens (RFC 6749 section 6).
   *
   * @throws {GrantRefusedError} if the issuer refuses the refresh token
   * @throws {WebError} if the issuer cannot be reached; at once if it has just not answered
   */
  async refresh(refreshToken: string): Promise<Grant> {
    return await this.#refreshes.run(() => this.#refresh(refreshToken));
  }

  async #refresh(refreshToken: string): Promise<Grant> {
    try {
      const metadata = await this.metadata();
      const response = await oauth.refreshTokenGrantRequest(
        metadata,
        this.client,
        this.#authentication,
        refreshToken,
        this.#http(),
      );
      return grantOf(await oauth.processRefreshTokenResponse(metadata, this.client, response));
    } catch (error) {
      throw this.#problem("refresh tokens", error);
    }
  }

  /** Revokes a refresh token with all that rests on it (RFC 7009). */
  async revoke(refreshToken: string): Promise<void> {
    const metadata = await this.metadata();
    if (metadata.revocation_endpoint === undefined) return;
    const response = await oauth.revocationRequest(
      metadata,
      this.client,
      this.#authentication,
      refreshToken,
      this.#http(),
    );
    await oauth.processRevocationResponse(response);
  }

  /** The ID token came from the issuer directly, but perhaps over plain HTTP. */
  async #verify(idToken: string): Promise<void> {
    await jwtVerify(idToken, await this.keys(), {
      issuer: this.options.authUrl,
      audience: this.options.clientId,
      algorithms: signatureAlgorithms,
      clockTolerance: clockToleranceSeconds,
    });
  }

  async #discovered(): Promise<Discovered> {
    const known = this.#metadata;
    if (known !== undefined && this.#now() - known.atMs < metadataAgeMaxMs) return known;
    this.#discovering ??= this.#discover().finally(() => {
      this.#discovering = undefined;
    });
    if (known === undefined) return await this.#discovering;
    // Old metadata is used meanwhile: nobody waits for an issuer that hangs. A failure is logged.
    this.#discovering.catch(() => undefined);
    return known;
  }

  async #discover(): Promise<Discovered> {
    const { authUrl } = this.options;
    const url = new URL(authUrl);
    try {
      const value = await oauth.processDiscoveryResponse(
        url,
        await oauth.discoveryRequest(url, this.#http()),
      );
      // Resource servers compare issuers as text.
      if (value.issuer !== authUrl) throw new Error(`the issuer calls itself ${value.issuer}`);
      if (value.jwks_uri === undefined) throw new Error("it publishes no keys");
      const keysUrl = new URL(value.jwks_uri);
      const keys =
        this.#metadata?.value.jwks_uri === value.jwks_uri
          ? this.#metadata.keys
          : createRemoteJWKSet(keysUrl, { timeoutDuration: timeoutMs });
      this.#metadata = { value, keys, atMs: this.#now() };
      return this.#metadata;
    } catch (error) {
      throw this.#problem("read the metadata of the issuer", error);
    }
  }

  #now(): number {
    return this.options.now?.() ?? performance.now();
  }

  #http() {
    return {
      // The operator chooses the address, and so whether plain HTTP is safe.
      [oauth.allowInsecureRequests]: true,
      signal: AbortSignal.timeout(timeoutMs),
    };
  }

  /** Tells a refusal from an outage, which is logged. */
  #problem(act: string, error: unknown): Error {
    if (error instanceof GrantRefusedError || error instanceof WebError) return error;
    if (isRefusal(error)) return new GrantRefusedError(errorText(error), { cause: error });
    this.options.logger.warn({ reason: errorText(error) }, `cannot ${act}`);
    return unavailable("it does not answer as it should", error);
  }
}

function grantOf(answer: oauth.TokenEndpointResponse): Grant {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    idToken: answer.id_token,
    expiresInSeconds: answer.expires_in ?? lifetimeDefaultSeconds,
  };
}

/** Other errors of the issuer, such as an unknown client, are faults of the configuration. */
function isRefusal(error: unknown): boolean {
  if (error instanceof errors.JOSEError) return !isKeyOutage(error);
  if (error instanceof oauth.ResponseBodyError) return error.error === "invalid_grant";
  return error instanceof oauth.OperationProcessingError && refusedTokens.has(error.code ?? "");
}

/** Whether a signature could not be checked, since the keys of the issuer cannot be read. */
export function isKeyOutage(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  // jose has the generic code for any bad answer instead of keys.
  return error instanceof errors.JWKSTimeout || error.code === "ERR_JOSE_GENERIC";
}

/** The answer is not for this request: a token was swapped, or the issuer mixed up. */
const refusedTokens: ReadonlySet<string> = new Set([
  oauth.JWT_CLAIM_COMPARISON,
  oauth.JWT_TIMESTAMP_CHECK,
  oauth.INVALID_RESPONSE,
]);

/** Whether a request, or one that it needed first, had no answer in time. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "TimeoutError" || isTimeout(error.cause);
}

function unavailable(what: string, cause?: unknown): WebError {
  return new WebError("ISSUER_UNAVAILABLE", `the sign-in service cannot be used: ${what}`, {
    cause,
  });
}
