import assert from "node:assert/strict";
import { it } from "node:test";
import { addActingClient, addPerson, runCodeFlow } from "../testing/code-flow.ts";
import { startTestService } from "../testing/test-service.ts";
import { postForm } from "../testing/token-request.ts";

it("tokens and sessions live as long as the settings say", async () => {
  const lifetimes = { accessTokenLifetimeS: 120, sessionIdleS: 1000, refreshTokenIdleS: 2000 };
  await using service = await startTestService(lifetimes);
  const response = await postForm(service.authUrl, { grant_type: "client_credentials" });
  assert.equal(((await response.json()) as { expires_in: number }).expires_in, 120);

  const { pool, authUrl } = service;
  const { tokens } = await runCodeFlow(authUrl, await addActingClient(pool), await addPerson(pool));
  assert.equal(tokens.expires_in, 120);
  const { rows } = await pool.query<{ model: string; seconds: number }>(
    `select model, round(extract(epoch from expires_at - now()), -1)::float8 as seconds
     from auth.provider_records where model in ('Session', 'RefreshToken') order by model`,
  );
  assert.deepEqual(rows, [
    { model: "RefreshToken", seconds: 2000 },
    { model: "Session", seconds: 1000 },
  ]);
});
