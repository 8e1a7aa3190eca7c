import assert from "node:assert/strict";
import { it } from "node:test";
import type { AdapterPayload } from "oidc-provider";
import { startBareProvider } from "../testing/bare-provider.ts";
import { withoutSecrets, withSecrets } from "./interaction-secrets.ts";

it("oidc-provider stores three secrets with an interaction; none is left", async () => {
  await using bare = await startBareProvider();
  // The second interaction belongs to a session.
  await bare.signIn();
  const query = "client_id=app&response_type=code&scope=openid&prompt=login&redirect_uri=";
  const { headers } = await bare.browse(
    `/auth?${query}${encodeURIComponent("https://app.example/callback")}`,
  );
  const id = headers.get("location")?.split("/").at(-1) ?? "";
  const payload = bare.stored.get(`Interaction:${id}`) as AdapterPayload;
  const { cookie = "" } = payload.session ?? {};
  assert.equal(payload.jti, id);
  assert.equal(payload.returnTo, `${bare.url}/auth/${id}`);
  assert.ok(bare.stored.has(`Session:${cookie}`));

  const kept = withoutSecrets(id, payload);
  for (const secret of [id, cookie]) assert.ok(!JSON.stringify(kept).includes(secret));
  const { cookie: _, ...session } = payload.session ?? {};
  assert.deepEqual(withSecrets(id, kept), { ...payload, session });
});
