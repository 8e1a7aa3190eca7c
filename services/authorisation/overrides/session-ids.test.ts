import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeJwt } from "jose";
import { startBareProvider } from "../testing/bare-provider.ts";
import { includeSessionIds } from "./session-ids.ts";

it("oidc-provider leaves out sid for a client without a logout address", async () => {
  await using bare = await startBareProvider();
  assert.equal(decodeJwt((await bare.tokens()).id_token ?? "").sid, undefined);
});

it("every client gets sid", async () => {
  await using bare = await startBareProvider({}, includeSessionIds);
  assert.match(String(decodeJwt((await bare.tokens()).id_token ?? "").sid), /^[\w-]{43}$/);
});
