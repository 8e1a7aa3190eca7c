import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeJwt } from "jose";
import { type BareProvider, startBareProvider } from "../testing/bare-provider.ts";
import { includeSids } from "./sid-claim.ts";

/** The `sid` of the ID tokens of a sign-in, and of a refresh after it. */
async function sidsIn(bare: BareProvider) {
  const { id_token, refresh_token = "" } = await bare.tokens();
  const response = await bare.post("/token", { grant_type: "refresh_token", refresh_token });
  const refreshed = (await response.json()) as Record<string, string>;
  return [id_token, refreshed.id_token].map((token) => decodeJwt(token ?? "").sid);
}

const offline = { expiresWithSession: () => false };

it("oidc-provider leaves out sid for a client without a logout address", async () => {
  await using bare = await startBareProvider();
  assert.deepEqual(await sidsIn(bare), [undefined, undefined]);
});

it("oidc-provider repeats sid in every refresh, even with offline access", async () => {
  await using bare = await startBareProvider(offline, (provider) =>
    Object.assign(provider.Client.prototype, { includeSid: () => true }),
  );
  const [first, refreshed] = await sidsIn(bare);
  assert.equal(refreshed, first);
});

it("every client gets sid, as long as its tokens end with the session", async () => {
  await using bare = await startBareProvider({}, includeSids);
  const [first, refreshed] = await sidsIn(bare);
  assert.match(String(first), /^[\w-]{43}$/);
  assert.equal(refreshed, first);
});

it("with offline access, only the first tokens belong to the session", async () => {
  await using bare = await startBareProvider(offline, includeSids);
  const [first, refreshed] = await sidsIn(bare);
  assert.match(String(first), /^[\w-]{43}$/);
  assert.equal(refreshed, undefined);
});
