import assert from "node:assert/strict";
import { it } from "node:test";
import type { Configuration } from "oidc-provider";
import { startBareProvider } from "../testing/bare-provider.ts";
import { errors } from "./library.ts";
import { consumeAfterChecks, type TokenRecord } from "./token-consumption.ts";

const resourceIndicators: NonNullable<Configuration["features"]>["resourceIndicators"] = {
  enabled: true,
  defaultResource: () => "urn:api",
  useGrantedResource: () => true,
  getResourceServerInfo: () => ({ scope: "read", accessTokenFormat: "opaque" }),
};

type Override = Parameters<typeof startBareProvider>[1];

/** Asks for a resource that was not granted. Returns the errors, and what is used up. */
async function askTooMuch(override?: Override) {
  const configuration = { features: { resourceIndicators }, rotateRefreshToken: true };
  await using bare = await startBareProvider(configuration, override);
  const errorOf = async (form: Record<string, string>) =>
    ((await (await bare.post("/token", form)).json()) as { error: string }).error;
  const isUsed = (key: string) => bare.stored.get(key)?.consumed !== undefined;
  const resource = "urn:other";
  const code = await bare.signIn({ scope: "openid read" });
  const redirect_uri = "https://app.example/callback";
  const codeError = await errorOf({
    grant_type: "authorization_code",
    code,
    redirect_uri,
    resource,
  });
  const { refresh_token = "" } = await bare.tokens({ scope: "openid read" });
  const refreshError = await errorOf({ grant_type: "refresh_token", refresh_token, resource });
  return {
    code: [codeError, isUsed(`AuthorizationCode:${code}`)],
    refresh: [refreshError, isUsed(`RefreshToken:${refresh_token}`)],
  };
}

it("oidc-provider uses up a code or a refresh token before it checks the resource", async () => {
  assert.deepEqual(await askTooMuch(), {
    code: ["invalid_target", true],
    refresh: ["invalid_target", true],
  });
});

it("a request that fails the check uses up nothing", async () => {
  const outcome = await askTooMuch((provider) => {
    consumeAfterChecks(provider, {
      async check(ctx) {
        if (ctx.oidc.params?.resource) throw new errors.InvalidTarget("not granted");
      },
      redeemCode: async (_code, { payload }) => {
        await provider.RefreshToken.adapter.upsert("id", payload, 60);
        return "id";
      },
      useCode: async () => {},
      rotate: async () => "",
    });
  });
  assert.deepEqual(outcome, {
    code: ["invalid_target", false],
    refresh: ["invalid_target", false],
  });
});

it("using up a code or a refresh token and storing the next one is one step", async () => {
  const steps: [string, TokenRecord][] = [];
  await using bare = await startBareProvider({ rotateRefreshToken: true }, (provider) => {
    const store = async (used: string, id: string, token: TokenRecord) => {
      steps.push([used, token]);
      await provider.RefreshToken.adapter.upsert(id, { ...token.payload, jti: id }, 60);
      return id;
    };
    consumeAfterChecks(provider, {
      check: async () => {},
      redeemCode: (code, token) => store(code.jti, "the first", token),
      useCode: async () => {},
      rotate: (used, token) => store(used, "the successor", token),
    });
  });
  const { refresh_token = "" } = await bare.tokens();
  const form = { grant_type: "refresh_token", refresh_token };
  const next = (await (await bare.post("/token", form)).json()) as { refresh_token: string };
  assert.deepEqual([refresh_token, next.refresh_token], ["the first", "the successor"]);
  assert.deepEqual(
    steps.map(([, { expiresInSeconds }]) => expiresInSeconds),
    [60, 60],
  );
  assert.equal(steps[1]?.[0], refresh_token);
});
