/** A provider that answers what a test says, as the documentation of a product gives it. */
import { createServer, type ServerResponse } from "node:http";
import { listen } from "@stowage/process/testing";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";

export interface DocumentedProvider extends AsyncDisposable {
  /** Without a path. */
  url: string;
  issuer: string;
  /** The metadata beside the addresses. The tests change all of these. */
  metadata: Record<string, unknown>;
  /** The ID token in the answer for a code. */
  idToken: string;
  /** Answers the requests to the token endpoint, in place of the usual answer. */
  answerToken: ((response: ServerResponse) => void) | undefined;
  /** The requests so far, by path. */
  asked: string[];
  sign(claims: object, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

const keyPair = generateKeyPair("RS256", { extractable: true });

/** Starts one. `path` is that of its issuer. */
export async function startDocumentedProvider(path = ""): Promise<DocumentedProvider> {
  const { publicKey, privateKey } = await keyPair;
  const jwk = { ...(await exportJWK(publicKey)), kid: "documented", alg: "RS256", use: "sig" };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", started.url);
    started.asked.push(pathname);
    const json = (body: object) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (pathname === `${path.replace(/\/$/, "")}/.well-known/openid-configuration`) {
      return json({ issuer: started.issuer, ...addresses(started.url), ...started.metadata });
    }
    if (pathname === "/keys") return json({ keys: [jwk] });
    if (pathname !== "/token") return response.writeHead(404).end();
    if (started.answerToken) return started.answerToken(response);
    return json({ access_token: "x", token_type: "Bearer", id_token: started.idToken });
  });
  const { url, close } = await listen(server);
  const started: DocumentedProvider = {
    url,
    issuer: url + path,
    metadata: {},
    idToken: "",
    answerToken: undefined,
    asked: [],
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: "RS256", kid: "documented", ...header })
        .sign(privateKey),
    [Symbol.asyncDispose]: close,
  };
  return started;
}

function addresses(url: string) {
  return {
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}
