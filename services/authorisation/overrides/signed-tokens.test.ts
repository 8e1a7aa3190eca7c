import assert from "node:assert/strict";
import { it } from "node:test";
import { startBareProvider } from "../testing/bare-provider.ts";
import { answerForSignedTokens, isSignedTokenError } from "./signed-tokens.ts";

const features = { introspection: { enabled: true }, revocation: { enabled: true } };
const header = Buffer.from('{"alg":"RS256"}').toString("base64url");
const token = `${header}.e30.c2ln`;
const paths = ["/token/introspection", "/token/revocation"];

it("oidc-provider refuses JWTs, after it has authenticated the client", async () => {
  await using bare = await startBareProvider({ features });
  for (const path of paths) {
    const answer = await (await bare.post(path, { token })).json();
    assert.equal(isSignedTokenError(answer), true);
    const stranger = await bare.post(path, { token }, { authorization: "Basic YTpi" });
    assert.equal(stranger.status, 401);
  }
});

it("a JWT of an authenticated client is answered for, and nothing else", async () => {
  const asked: string[] = [];
  const action = async (text: string, { clientId }: { clientId: string }) => {
    asked.push(text);
    return { clientId };
  };
  await using bare = await startBareProvider({ features }, (provider) =>
    provider.use(answerForSignedTokens({ introspection: action, revocation: action })),
  );
  for (const path of paths) {
    const response = await bare.post(path, { token });
    assert.deepEqual([response.status, await response.json()], [200, { clientId: "app" }]);
    await bare.post(path, { token }, { authorization: "Basic YTpi" });
    await bare.post(path, { token: "opaque" });
  }
  assert.deepEqual(asked, [token, token]);
});
