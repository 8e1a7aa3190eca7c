import assert from "node:assert/strict";
import { it } from "node:test";
import type { AccessToken, Configuration } from "oidc-provider";
import { startBareProvider } from "../testing/bare-provider.ts";
import { answerWithScopes } from "./answered-scopes.ts";

const resourceIndicators: NonNullable<Configuration["features"]>["resourceIndicators"] = {
  enabled: true,
  defaultResource: () => "urn:api",
  useGrantedResource: () => true,
  getResourceServerInfo: () => ({
    scope: "read",
    accessTokenFormat: "jwt",
    jwt: { sign: { alg: "RS256" } },
  }),
};

it("oidc-provider answers with the scopes of the resource server alone", async () => {
  await using bare = await startBareProvider({ features: { resourceIndicators } });
  assert.equal((await bare.tokens({ scope: "openid read" })).scope, "read");
});

it("scopes that are replaced while the token is formatted are in the answer", async () => {
  await using bare = await startBareProvider({
    features: { resourceIndicators },
    formats: {
      customizers: {
        jwt: (_ctx, token) => answerWithScopes(token as AccessToken, ["openid", "read"]),
      },
    },
  });
  assert.equal((await bare.tokens({ scope: "openid read" })).scope, "openid read");
});
