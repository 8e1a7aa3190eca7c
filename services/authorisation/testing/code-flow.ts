/** Gets tokens for people, by a browser and the token endpoint. */
import { randomUUID } from "node:crypto";
import * as oauth from "oauth4webapi";
import type pg from "pg";
import { hashPassword } from "../model/credentials.ts";
import { type Account, addAccount } from "../store/accounts.ts";
import { addClient, type ClientRecord } from "../store/clients.ts";
import { TestBrowser, type Visited } from "./test-browser.ts";
import {
  actsForItself,
  hashOfSecret,
  startTestService,
  type TestService,
  testClient,
} from "./test-service.ts";

/** For the plain HTTP of tests. */
export const insecure = { [oauth.allowInsecureRequests]: true };

export const testPassword = "correct horse battery";
const passwordHash = hashPassword(testPassword);

/** The redirect URI of the clients in tests. */
export const callback = "https://page.example/callback";

/** A person who can sign in. */
export async function addPerson(pool: pg.Pool, changes: Partial<Account> = {}): Promise<Account> {
  const person = {
    accountId: randomUUID(),
    organisationId: testClient.organisationId,
    loginName: `${randomUUID()}@example.com`,
    name: "Ada Lovelace",
    email: null,
    ...changes,
  };
  await addAccount(pool, { ...person, passwordHash: await passwordHash });
  return person;
}

/** A client that acts for people; a public one, unless it has a secret. */
export interface ActingClient {
  client: oauth.Client;
  authentication: oauth.ClientAuth;
}

type ClientChanges = Partial<ClientRecord> & { secret?: string };

export async function addActingClient(
  pool: pg.Pool,
  changes: ClientChanges = {},
): Promise<ActingClient> {
  const { secret, ...record } = changes;
  const clientId = randomUUID();
  const client = {
    ...actsForItself,
    clientId,
    applicationId: randomUUID(),
    organisationId: testClient.organisationId,
    name: "The page",
    scopes: ["upl:bucket:read", "upl:bucket:write"],
    grantTypes: ["authorization_code", "refresh_token"],
    redirectUris: [callback],
    ...record,
  };
  await addClient(
    pool,
    client,
    secret === undefined ? undefined : await hashOfSecret(pool, secret),
  );
  return {
    client: { client_id: clientId },
    authentication: secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret),
  };
}

/** Reads the metadata. */
export async function discover(authUrl: string): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(authUrl);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  return await oauth.processDiscoveryResponse(issuer, response);
}

/** A running service, its metadata, and a client and a person who may sign in there. */
interface SignInService {
  service: TestService;
  server: oauth.AuthorizationServer;
  acting: ActingClient;
  person: Account;
}

/** Starts a service with a client that acts for people, and a person. The test disposes it. */
export async function startSignInService(
  options: {
    service?: Parameters<typeof startTestService>[0];
    client?: ClientChanges;
    person?: Partial<Account>;
  } = {},
): Promise<SignInService> {
  const service = await startTestService(options.service);
  const server = await discover(service.authUrl);
  const acting = await addActingClient(service.pool, options.client);
  const person = await addPerson(service.pool, options.person);
  return { service, server, acting, person };
}

/** Changed parameters of a request; undefined removes one, a list repeats it. */
type RequestChanges = Record<string, string | string[] | undefined>;

/** A request to the authorization endpoint, with its PKCE verifier. */
export function authorizationRequest(
  server: oauth.AuthorizationServer,
  { client_id }: oauth.Client,
  codeChallenge: string,
  changes: RequestChanges = {},
): string {
  const parameters = {
    client_id,
    response_type: "code",
    redirect_uri: callback,
    scope: "openid upl:bucket:read",
    state: "the state",
    nonce: "the nonce",
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
    ...changes,
  };
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, each]),
  );
  return `${server.authorization_endpoint}?${new URLSearchParams(given)}`;
}

/** Signs in and consents, if asked. Returns the address at the end. */
export async function signInAndAllow(
  browser: TestBrowser,
  request: string,
  { loginName }: Account,
): Promise<Visited> {
  let page = await browser.open(request);
  if (page.text.includes('name="password"')) {
    const fields = { login_name: loginName, password: testPassword, act: "sign-in" };
    page = await browser.submit(page, fields);
  }
  if (page.text.includes('value="allow"')) page = await browser.submit(page, { act: "allow" });
  return page;
}

/** The result of a whole flow. */
export interface Flow {
  server: oauth.AuthorizationServer;
  code: URLSearchParams;
  verifier: string;
  tokens: oauth.TokenEndpointResponse;
}

/** Runs the whole flow. `changes` are changed parameters of the request. */
export async function runCodeFlow(
  authUrl: string,
  { client, authentication }: ActingClient,
  person: Account,
  options: { browser?: TestBrowser; changes?: RequestChanges } = {},
): Promise<Flow> {
  const { browser = new TestBrowser(), changes = {} } = options;
  const server = await discover(authUrl);
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const request = authorizationRequest(server, client, challenge, changes);
  const { url, text } = await signInAndAllow(browser, request, person);
  if (!url.startsWith(callback)) throw new Error(`Not sent back, but to ${url}: ${text}`);
  const code = oauth.validateAuthResponse(server, client, new URL(url), "the state");
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    code,
    callback,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: "the nonce",
  });
  return { server, code, verifier, tokens };
}
