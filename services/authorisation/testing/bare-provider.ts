/** A provider as the library makes it, without this service. It shows what an override changes. */
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Adapter, AdapterPayload, ClientMetadata, Configuration } from "oidc-provider";
import { Provider } from "../overrides/library.ts";

const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

const redirectUri = "https://app.example/callback";

const models = ["AccessToken", "Grant", "IdToken", "Interaction", "RefreshToken", "Session"];

/** A client of every bare provider. */
export const bareClient = {
  client_id: "app",
  client_secret: "a-secret",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  redirect_uris: [redirectUri],
} satisfies ClientMetadata;

const basic = `Basic ${Buffer.from("app:a-secret").toString("base64")}`;

/** Runs until it is disposed. */
export interface BareProvider extends AsyncDisposable {
  provider: InstanceType<typeof Provider>;
  url: string;
  /** Who signs in: at first "person". */
  accountId: string;
  /** Everything that the provider has stored, by model and ID. */
  stored: Map<string, AdapterPayload>;
  /** Sends a request with the cookies of one browser. Follows no redirects. */
  browse(path: string, form?: Record<string, string>): Promise<Response>;
  /** Removes these cookies: the next request is that of another browser. */
  forget(): void;
  /** Signs a person in, by redirects only. Returns the code. */
  signIn(parameters?: Record<string, string>): Promise<string>;
  /** Sends a form as the client. */
  post(
    path: string,
    form: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Signs a person in, and gets the tokens. */
  tokens(parameters?: Record<string, string>): Promise<Record<string, string>>;
}

/** Starts one. `override` changes the provider before its first request. */
export async function startBareProvider(
  configuration: Configuration = {},
  override: (provider: InstanceType<typeof Provider>) => void = () => {},
): Promise<BareProvider> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stored = new Map<string, AdapterPayload>();
  const provider: InstanceType<typeof Provider> = new Provider(url, {
    adapter: (model) => memoryAdapter(model, stored),
    clients: [bareClient],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "RS256", kid: "static" }] },
    cookies: { keys: ["x"] },
    pkce: { required: () => false },
    ttl: Object.fromEntries(models.map((model) => [model, 60])),
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: () => true,
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant(ctx) {
      const { account, client } = ctx.oidc;
      if (account === undefined || client === undefined) return undefined;
      const names = { accountId: account.accountId, clientId: client.clientId };
      const grant = new provider.Grant(names);
      grant.addOIDCScope("openid");
      grant.addResourceScope("urn:api", "read");
      await grant.save();
      return grant;
    },
    ...configuration,
    features: { devInteractions: { enabled: false }, ...configuration.features },
  });
  override(provider);
  const callback = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return callback(request, response);
    const { accountId } = bare;
    return provider.interactionFinished(request, response, { login: { accountId } });
  });
  const bare = {
    provider,
    url,
    accountId: "person",
    stored,
    ...browserAt(url),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return bare;
}

function browserAt(url: string) {
  /** The name and value of each, by name and path. */
  const cookies = new Map<string, { pair: string; path: string }>();
  const browse = async (address: string, form?: Record<string, string>) => {
    const target = new URL(address, url);
    const sent = [...cookies.values()].filter(({ path }) => target.pathname.startsWith(path));
    const response = await fetch(target, {
      redirect: "manual",
      headers: { cookie: sent.map(({ pair }) => pair).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, pair = "", name = "", value = ""] = /^(([^=]+)=([^;]*))/.exec(line) ?? [];
      const [, path = "/"] = /; path=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name + path);
      else cookies.set(name + path, { pair, path });
    }
    return response;
  };
  const signIn = async (parameters: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      client_id: "app",
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "openid",
      ...parameters,
    });
    let location = `/auth?${query}`;
    while (!location.startsWith(redirectUri)) {
      const response = await browse(location);
      location = response.headers.get("location") ?? "";
      if (location === "") throw new Error(`Cannot sign in: ${await response.text()}`);
    }
    return new URL(location).searchParams.get("code") ?? "";
  };
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(new URL(path, url), {
      method: "POST",
      headers: { authorization: basic, ...headers },
      body: new URLSearchParams(form),
    });
  const tokens = async (parameters: Record<string, string> = {}) => {
    const code = await signIn(parameters);
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
    return (await (await post("/token", form)).json()) as Record<string, string>;
  };
  return { browse, forget: () => cookies.clear(), signIn, post, tokens };
}

function memoryAdapter(model: string, stored: Map<string, AdapterPayload>): Adapter {
  const findBy = async (name: "uid" | "userCode", value: string) =>
    Array.from(stored)
      .filter(([key]) => key.startsWith(`${model}:`))
      .map(([, payload]) => payload)
      .find((payload) => payload[name] === value);
  return {
    upsert: async (id, payload) => void stored.set(`${model}:${id}`, structuredClone(payload)),
    find: async (id) => structuredClone(stored.get(`${model}:${id}`)),
    findByUid: (uid) => findBy("uid", uid),
    findByUserCode: (userCode) => findBy("userCode", userCode),
    consume: async (id) => void Object.assign(stored.get(`${model}:${id}`) ?? {}, { consumed: 1 }),
    destroy: async (id) => void stored.delete(`${model}:${id}`),
    revokeByGrantId: async () => undefined,
  };
}
