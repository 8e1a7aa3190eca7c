import assert from "node:assert/strict";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { openDenylistDatabase } from "../../testing/denylist-database.ts";
import { publish, startIssuerServer } from "../../testing/issuer-server.ts";
import { goodClaims, startProgram } from "../../testing/readme-programs.ts";
import { claims, signingKey, signToken } from "../../testing/tokens.ts";

it("the program in the README revokes a token and ends", async (test) => {
  const { databaseUrl, query } = await openDenylistDatabase(test);
  await using issuer = await startIssuerServer(publish(signingKey.jwk));
  const good = goodClaims(issuer.address);
  const child = startProgram("Revoked tokens", {
    AUTH_URL: issuer.address,
    ACCESS_TOKEN: await signToken(good),
    DATABASE_URL: databaseUrl,
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(output, "The access token has been revoked.\n");
  assert.equal(child.exitCode, 0);
  assert.deepEqual(await query("select kind, value, expires_at from denylist.entries"), [
    ["jti", claims.jti, `${good.exp}`],
  ]);
});
