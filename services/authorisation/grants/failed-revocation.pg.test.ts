import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeJwt } from "jose";
import { runCodeFlow, startSignInService } from "../testing/code-flow.ts";

it("a revocation that fails changes nothing, so that it can be tried again", async () => {
  const { service, acting, person } = await startSignInService();
  await using _ = service;
  const { pool } = service;
  const { code, verifier, tokens } = await runCodeFlow(service.authUrl, acting, person);
  const { jti } = decodeJwt(tokens.access_token);
  const post = (path: string, form: Record<string, string>) =>
    fetch(service.authUrl + path, {
      method: "POST",
      body: new URLSearchParams({ client_id: acting.client.client_id, ...form }),
    });
  const revoke = () => post("/revocation", { token: tokens.refresh_token ?? "" });
  const replay = () =>
    post("/token", {
      grant_type: "authorization_code",
      code: code.get("code") ?? "",
      redirect_uri: "https://page.example/callback",
      code_verifier: verifier,
    });

  await pool.query("alter table denylist.entries add constraint broken check (false) not valid");
  for (const attempt of [revoke, replay]) assert.equal((await attempt()).status, 500);
  await pool.query("alter table denylist.entries drop constraint broken");
  assert.deepEqual(await models(), ["AuthorizationCode", "Grant", "RefreshToken"]);
  assert.equal((await revoke()).status, 200);
  assert.deepEqual(await models(), []);
  const { rows } = await pool.query("select kind, value from denylist.entries");
  assert.deepEqual(rows, [{ kind: "jti", value: jti }]);

  async function models(): Promise<string[]> {
    const { rows: found } = await pool.query<{ model: string }>(
      `select model from auth.provider_records
       where model in ('AuthorizationCode', 'Grant', 'RefreshToken') order by model`,
    );
    return found.map(({ model }) => model);
  }
});
