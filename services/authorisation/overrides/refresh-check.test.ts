import assert from "node:assert/strict";
import { it } from "node:test";
import type { Configuration } from "oidc-provider";
import { startBareProvider } from "../testing/bare-provider.ts";
import { errors } from "./library.ts";
import { rotateAfter } from "./refresh-check.ts";

const resourceIndicators: NonNullable<Configuration["features"]>["resourceIndicators"] = {
  enabled: true,
  defaultResource: () => "urn:api",
  useGrantedResource: () => true,
  getResourceServerInfo: () => ({ scope: "read", accessTokenFormat: "opaque" }),
};

/** Asks for a resource that was not granted. Returns the error, and whether the token is used. */
async function refresh(rotateRefreshToken: Configuration["rotateRefreshToken"]) {
  await using bare = await startBareProvider({
    features: { resourceIndicators },
    ...(rotateRefreshToken && { rotateRefreshToken }),
  });
  const { refresh_token: token = "" } = await bare.tokens({ scope: "openid read" });
  const form = { grant_type: "refresh_token", refresh_token: token, resource: "urn:other" };
  const { error } = (await (await bare.post("/token", form)).json()) as { error: string };
  return { error, isUsed: bare.stored.get(`RefreshToken:${token}`)?.consumed !== undefined };
}

it("oidc-provider uses up a refresh token before it checks the resource", async () => {
  assert.deepEqual(await refresh(() => true), { error: "invalid_target", isUsed: true });
});

it("a request that fails the check does not use up the refresh token", async () => {
  const check = async () => {
    throw new errors.InvalidTarget("not granted");
  };
  assert.deepEqual(await refresh(rotateAfter(check)), { error: "invalid_target", isUsed: false });
});
