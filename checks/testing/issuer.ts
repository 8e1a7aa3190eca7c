/** An issuer of access tokens in the test process: a key set, and any token a test needs. */
import { createPublicKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
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
  /** A valid token, except for the claims and header members given here. */
  mint(subject: TokenSubject, claims?: object, header?: object): string;
  /** Makes the issuer unreachable until it resumes. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const { privateKey, keyId, keySet } = makeKey();
  const serve = (port?: number) => listen(createServer(answerWith(keySet)), port);
  let server: ListeningServer | undefined = await serve();
  const { url, port } = server;
  const close = async () => {
    await server?.close();
    server = undefined;
  };
  return {
    url,
    close,
    pause: close,
    async resume() {
      server ??= await serve(port);
    },
    mint(subject, claims = {}, header = {}) {
      const head = { alg: "RS256", kid: keyId, typ: "JWT", ...header };
      const signed = `${encode(head)}.${encode({ ...claimsOf(subject, url), ...claims })}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
    },
  };
}

function answerWith(keySet: string): RequestListener {
  return (request, response) => {
    const isKeySet = request.method === "GET" && request.url === "/.well-known/jwks.json";
    response.writeHead(isKeySet ? 200 : 404, { "content-type": "application/json" });
    response.end(isKeySet ? keySet : "{}");
  };
}

/** Exports through PEM, because exporting a new key object as JWK has hung before. */
function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const keyId = randomUUID();
  const jwk = createPublicKey(publicKey).export({ format: "jwk" });
  const keySet = JSON.stringify({ keys: [{ ...jwk, kid: keyId, alg: "RS256", use: "sig" }] });
  return { privateKey, keyId, keySet };
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

function encode(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}
