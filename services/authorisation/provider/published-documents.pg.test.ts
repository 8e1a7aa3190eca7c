import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

it("the key set holds the public members of one RSA key, and nothing private", async () => {
  const response = await fetch(`${service.authUrl}/.well-known/jwks.json`);
  const { keys } = (await response.json()) as { keys: Record<string, string>[] };
  assert.equal(keys.length, 1);
  const [{ kid, n, ...key } = {}] = keys;
  assert.deepEqual(key, { kty: "RSA", use: "sig", alg: "RS256", e: "AQAB" });
  assert.match(kid ?? "", /^[\w-]{43}$/);
  assert.equal(Buffer.from(n ?? "", "base64url").length * 8, 2048);
});

const authMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"];
const anyMethods = [...authMethods, "none"];

it("the metadata names what is offered, and nothing else", async () => {
  for (const name of ["openid-configuration", "oauth-authorization-server"]) {
    const response = await fetch(`${service.authUrl}/.well-known/${name}`);
    assert.deepEqual(await response.json(), {
      issuer: service.authUrl,
      authorization_endpoint: `${service.authUrl}/auth`,
      userinfo_endpoint: `${service.authUrl}/userinfo`,
      end_session_endpoint: `${service.authUrl}/session/end`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      pushed_authorization_request_endpoint: `${service.authUrl}/par`,
      token_endpoint: `${service.authUrl}/token`,
      device_authorization_endpoint: `${service.authUrl}/device_authorization`,
      revocation_endpoint: `${service.authUrl}/revocation`,
      introspection_endpoint: `${service.authUrl}/introspection`,
      jwks_uri: `${service.authUrl}/.well-known/jwks.json`,
      grant_types_supported: [
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
        "client_credentials",
        "urn:ietf:params:oauth:grant-type:token-exchange",
      ],
      response_types_supported: ["code"],
      response_modes_supported: ["form_post", "fragment", "query"],
      scopes_supported: ["openid", "profile", "email", "offline_access"],
      claims_supported: ["sub", "name", "preferred_username", "email", "sid", "auth_time", "iss"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      claim_types_supported: ["normal"],
      claims_parameter_supported: false,
      request_uri_parameter_supported: false,
      authorization_details_types_supported: ["bucket"],
      token_endpoint_auth_methods_supported: anyMethods,
      token_endpoint_auth_signing_alg_values_supported: ["EdDSA", "ES256", "RS256"],
      revocation_endpoint_auth_methods_supported: anyMethods,
      introspection_endpoint_auth_methods_supported: authMethods,
    });
  }
});

it("public documents may be kept for a while, and read by pages of any origin", async () => {
  const maxAgeSeconds = {
    // Half of the time that a new key is published before it signs.
    "jwks.json": 30,
    "openid-configuration": 300,
    "oauth-authorization-server": 300,
  };
  for (const [name, seconds] of Object.entries(maxAgeSeconds)) {
    const ask = (method: string) =>
      fetch(`${service.authUrl}/.well-known/${name}`, {
        method,
        headers: { origin: "https://page.example" },
      });
    const { headers } = await ask("GET");
    assert.equal(headers.get("cache-control"), `public, max-age=${seconds}`);
    assert.equal(headers.get("access-control-allow-origin"), "https://page.example");
    assert.match(headers.get("content-type") ?? "", /json/);
    const head = await ask("HEAD");
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
    assert.deepEqual(lastingHeaders(head), lastingHeaders(await ask("GET")));
  }
});

/** The headers without those that differ between answers and between connections. */
function lastingHeaders({ headers }: Response): string[][] {
  const passing = ["connection", "date", "keep-alive", "x-request-id"];
  return [...headers].filter(([name]) => !passing.includes(name));
}
