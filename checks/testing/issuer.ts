/** An issuer of access tokens in the test process: a key set, and any token a test needs. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { type ListeningServer, listen } from "@stowage/process/testing";

export const audience = "urn:svc:uploads";
const readScope = "upl:bucket:read";

interface TokenSubject {
  organisationId?: string;
  clientId: string;
  authorizationDetails?: readonly object[];
}

export interface Issuer {
  readonly url: string;
  /** How it answers requests for its keys. `hanging` never answers. */
  behaviour: "up" | "failing" | "hanging";
  /** When it was asked for its keys. */
  readonly fetchTimesMs: readonly number[];
  /** A valid token, except for the claims and header members given here. */
  mint(subject: TokenSubject, claims?: object, header?: object): string;
  /** Adds a key, under which it issues tokens from now on. */
  publishKey(): void;
  /** Makes the issuer unreachable until it resumes. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const keys = [makeSigningKey()];
  const fetchTimesMs: number[] = [];
  const answer: RequestListener = (request, response) => {
    const isKeySet = request.method === "GET" && request.url === "/.well-known/jwks.json";
    if (isKeySet) fetchTimesMs.push(performance.now());
    if (issuer.behaviour === "hanging") return;
    const found = isKeySet ? 200 : 404;
    const status = issuer.behaviour === "failing" ? 503 : found;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(isKeySet ? JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }) : "{}");
  };
  const serve = (port?: number) => listen(createServer(answer), port);
  let server: ListeningServer | undefined = await serve();
  const { url, port } = server;
  const close = async () => {
    await server?.close();
    server = undefined;
  };
  const issuer: Issuer = {
    url,
    behaviour: "up",
    fetchTimesMs,
    close,
    pause: close,
    async resume() {
      server ??= await serve(port);
    },
    publishKey: () => void keys.push(makeSigningKey()),
    mint: (subject, claims = {}, header = {}) =>
      signToken(keys.at(-1)!, { ...claimsOf(subject, url), ...claims }, header),
  };
  return issuer;
}

export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  /** The public half as an issuer publishes it. */
  readonly jwk: { kty: "RSA"; kid: string; use: "sig"; alg: "RS256"; n: string; e: string };
}

export function makeSigningKey(): SigningKey {
  // By way of PEM: exporting a freshly made key object as a JWK can hang.
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const { n = "", e = "" } = createPublicKey(publicKey).export({ format: "jwk" });
  const keyId = randomUUID();
  const jwk = { kty: "RSA", kid: keyId, use: "sig", alg: "RS256", n, e } as const;
  return { keyId, privateKey: createPrivateKey(privateKey), jwk };
}

/** An RS256 token, but for the members of the header given here. */
export function signToken({ keyId, privateKey }: SigningKey, claims: object, header = {}): string {
  const signed = `${encode({ alg: "RS256", kid: keyId, typ: "JWT", ...header })}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
}

function claimsOf(subject: TokenSubject, issuer: string): object {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    sub: `urn:svc:serviceaccount:${subject.clientId}`,
    aud: [audience],
    exp: now + 3600,
    nbf: now,
    iat: now,
    jti: randomUUID(),
    scope: `service_account ${readScope}`,
    client_id: subject.clientId,
    azp: subject.clientId,
    "urn:svc:auth:organisation_id": subject.organisationId,
    "urn:svc:auth:application_id": "application-1",
    "urn:svc:auth:authorisation_id": randomUUID(),
    authorization_details: subject.authorizationDetails,
  };
}

export function encode(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}
