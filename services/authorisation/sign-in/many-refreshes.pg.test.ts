import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { insecure, runCodeFlow, startSignInService } from "../testing/code-flow.ts";

it("many refreshes and one revocation leave a person's tokens at other clients alone", async () => {
  const { service, acting, person } = await startSignInService();
  const { server, tokens } = await runCodeFlow(service.authUrl, acting, person);
  const { client, authentication } = acting;
  const refresh_token = tokens.refresh_token ?? "";
  // As after 899 refreshes in an hour.
  await service.pool.query(
    `insert into auth.authorisations select (json_populate_record(issued, json_build_object(
       'authorisation_id', gen_random_uuid(), 'token_id', gen_random_uuid()))).*
     from auth.authorisations issued, generate_series(1, 899)
     where token_id = $1`,
    [decodeJwt(tokens.access_token).jti],
  );
  const refused = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    refresh_token,
    insecure,
  );
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "60"]);
  await oauth.revocationRequest(server, client, authentication, refresh_token, insecure);
  const { rows } = await service.pool.query(
    "select kind, count(*)::int as count from denylist.entries group by kind",
  );
  assert.deepEqual(rows, [{ kind: "jti", count: 900 }]);
  await service[Symbol.asyncDispose]();
});
