/** An issuer in the test process, whose every answer a test can spoil. */
import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type ListeningServer, listen } from "@stowage/process/testing";
import { exportJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";

export const client = { id: randomUUID(), secret: "a secret that no log may show: 5d1e" };

/** A request for a code, as the browser brought it. */
interface AskedCode {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

export class TestIssuer {
  readonly url: string;
  /** Access tokens that a resource server accepts. */
  readonly accessTokens = new Set<string>();
  /** Each refresh token works once: a second use is an error. */
  readonly refreshTokens = new Set<string>();
  readonly revoked: string[] = [];
  /** The status of an answer to a revocation. */
  revocationStatus = 200;
  /** Number of answers with new tokens for a refresh token. */
  refreshes = 0;
  /** Claims that ID tokens have besides, or instead of, the usual ones. */
  idTokenClaims: JWTPayload = {};
  /** Header parameters of ID tokens. */
  idTokenHeader: Partial<JWTHeaderParameters> = {};
  accessSeconds = 3600;
  /** What the token endpoint answers instead of tokens. */
  failure: { status: number; body: object } | undefined;
  /** Awaited before the metadata is answered. */
  beforeMetadata: () => Promise<unknown> = async () => {};
  /** Awaited by the token endpoint before it answers. */
  beforeTokens: () => Promise<unknown> = async () => {};
  readonly sid = randomUUID();
  readonly subject = `urn:svc:user:${randomUUID()}`;
  readonly #codes = new Map<string, AskedCode>();
  readonly #keys = makeKeys();
  #server: ListeningServer | undefined;

  private constructor(server: ListeningServer) {
    this.url = server.url;
    this.#server = server;
  }

  static async start(): Promise<TestIssuer> {
    const found: { issuer?: TestIssuer } = {};
    const server = await listen(createServer((...args) => found.issuer?.handle(...args)));
    found.issuer = new TestIssuer(server);
    return found.issuer;
  }

  /** Plays the person who signs in: the address at which the browser comes back. */
  authorize(authorizationUrl: string, changes: Record<string, string | null> = {}): string {
    const asked = new URL(authorizationUrl).searchParams;
    const code = randomUUID();
    const redirectUri = asked.get("redirect_uri") ?? "";
    this.#codes.set(code, {
      nonce: asked.get("nonce") ?? "",
      challenge: asked.get("code_challenge") ?? "",
      redirectUri,
    });
    const back = new URL(redirectUri);
    const parameters = { code, state: asked.get("state"), iss: this.url, ...changes };
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== null) back.searchParams.set(name, value);
    }
    return back.href;
  }

  /** Signs a token: with a key of another issuer if `isForged`. */
  async sign(
    claims: JWTPayload,
    header: Partial<JWTHeaderParameters> = {},
    isForged = false,
  ): Promise<string> {
    const { privateKey, forgedKey, keyId } = this.#keys;
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: keyId, typ: "JWT", ...header })
      .sign(isForged ? forgedKey : privateKey);
  }

  /** A logout token that is right but for the changes; undefined leaves a claim out. */
  async logoutToken(
    changes: JWTPayload = {},
    header: Partial<JWTHeaderParameters> = {},
    isForged = false,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.url,
      aud: client.id,
      sub: this.subject,
      sid: this.sid,
      jti: randomUUID(),
      iat: now,
      exp: now + 120,
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    };
    return await this.sign({ ...claims, ...changes }, { typ: "logout+jwt", ...header }, isForged);
  }

  /** Stops answering until `resume`. */
  async pause(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
  }

  async resume(): Promise<void> {
    const port = Number(new URL(this.url).port);
    this.#server ??= await listen(
      createServer((...args) => this.handle(...args)),
      port,
    );
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await this.#answer(request);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  async #answer(request: IncomingMessage): Promise<[number, object]> {
    const { url } = this;
    switch (request.url) {
      case "/.well-known/openid-configuration":
        await this.beforeMetadata();
        return [200, metadataOf(url)];
      case "/jwks":
        return [200, { keys: [await this.#keys.jwk] }];
      case "/revocation":
        this.revoked.push(new URLSearchParams(await text(request)).get("token") ?? "");
        return [this.revocationStatus, {}];
      case "/token":
        return await this.#tokens(request);
      default:
        return [404, {}];
    }
  }

  async #tokens(request: IncomingMessage): Promise<[number, object]> {
    const form = new URLSearchParams(await text(request));
    await this.beforeTokens();
    if (this.failure !== undefined) return [this.failure.status, this.failure.body];
    const credentials = `${client.id}:${encodeURIComponent(client.secret).replace(/%20/g, "+")}`;
    const basic = Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64").toString();
    if (decodeURIComponent(basic) !== decodeURIComponent(credentials)) {
      return [401, { error: "invalid_client" }];
    }
    const nonce = this.#use(form);
    if (nonce === undefined) return [400, { error: "invalid_grant" }];
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.url, aud: client.id, sub: this.subject, sid: this.sid };
    const times = { iat: now, exp: now + 3600 };
    const claims = { ...usual, ...times, ...(nonce && { nonce }), ...this.idTokenClaims };
    const accessToken = randomUUID();
    const refreshToken = randomUUID();
    this.accessTokens.add(accessToken);
    this.refreshTokens.add(refreshToken);
    return [
      200,
      {
        access_token: accessToken,
        token_type: "Bearer",
        expires_in: this.accessSeconds,
        refresh_token: refreshToken,
        id_token: await this.sign(claims, this.idTokenHeader),
      },
    ];
  }

  /** Uses up a code or a refresh token. Returns the nonce, "" for none; undefined if refused. */
  #use(form: URLSearchParams): string | undefined {
    if (form.get("grant_type") === "refresh_token") {
      if (!this.refreshTokens.delete(form.get("refresh_token") ?? "")) return undefined;
      this.refreshes += 1;
      return "";
    }
    const code = form.get("code") ?? "";
    const asked = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      asked?.challenge === challenge && asked.redirectUri === form.get("redirect_uri");
    return isRight ? asked.nonce : undefined;
  }
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revocation`,
    end_session_endpoint: `${issuer}/session/end`,
    jwks_uri: `${issuer}/jwks`,
    authorization_response_iss_parameter_supported: true,
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

function makeKeys() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { privateKey: forgedKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyId = randomUUID();
  const jwk = exportJWK(publicKey).then((key) => ({
    ...key,
    kid: keyId,
    alg: "RS256",
    use: "sig",
  }));
  return { privateKey, forgedKey, keyId, jwk };
}
