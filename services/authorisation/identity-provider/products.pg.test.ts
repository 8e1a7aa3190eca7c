/** The messages of products, as their documentation gives them. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setProviderGroup } from "../store/provider-groups.ts";
import { startDocumentedProvider } from "../testing/documented-provider.ts";
import { settingsOf } from "../testing/other-provider.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService } from "../testing/test-service.ts";
import type { IdentityProvider } from "./settings.ts";

const tenant = "833ced3d-cb2e-41de-92f1-29e2af035ddc";
const entraGroup = "0760b6cf-170e-4a14-91b3-4b78e0739963";
const zitadelRoles = "urn:zitadel:iam:org:project:roles";

interface Product {
  /** Of the issuer. */
  path: string;
  metadata?: Record<string, unknown>;
  claims: Record<string, unknown>;
  settings?: Partial<IdentityProvider>;
  group: string;
  loginName: string;
}

const keycloak: Product = {
  path: "/realms/acme",
  metadata: {
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: [
      ...["private_key_jwt", "client_secret_basic", "client_secret_post", "tls_client_auth"],
    ],
    id_token_signing_alg_values_supported: ["PS384", "RS384", "EdDSA", "ES384", "HS256", "RS256"],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  },
  claims: {
    jti: "5f3a3d52-6b8b-4a9d-8f5b-2b1c3d4e5f60",
    sub: "f7ae1c3e-0b8b-4e6c-9d0a-3b2c1d0e9f8a",
    typ: "ID",
    azp: "stowage",
    sid: "b9e5c6b5-3a54-4f2b-8f4e-0d6a1b2c3d4e",
    at_hash: "x5n1s0hSfHqk1R2ceLR4Cw",
    acr: "1",
    email_verified: true,
    name: "Ada Lovelace",
    groups: ["/staff/guests", "offline_access"],
    preferred_username: "ada",
    email: "ada@example.com",
  },
  group: "/staff/guests",
  loginName: "ada",
};

const entra: Product = {
  path: `/${tenant}/v2.0`,
  metadata: {
    token_endpoint_auth_methods_supported: [
      ...["client_secret_post", "private_key_jwt", "client_secret_basic"],
    ],
    claims_supported: ["sub", "iss", "aud", "exp", "iat", "tid", "nonce", "preferred_username"],
    http_logout_supported: true,
    frontchannel_logout_supported: true,
  },
  claims: {
    ver: "2.0",
    tid: tenant,
    oid: "cb7eda1b-d09a-40ae-b8bb-37836ebc6abd",
    sub: "3OBtLXUC2ZrN_ADLNjW9X4o0lcd61py7lgHw3Skh77s",
    preferred_username: "Ada@example.com",
    name: "Ada Lovelace",
    groups: [entraGroup, "3b2b0c93-acd8-4208-8eba-7a48db1cd4c0"],
    rh: "0.AXkAPe08",
    uti: "IyLyjYyvkUiW2n1QtAA",
  },
  group: entraGroup,
  loginName: "ada@example.com",
};

const google: Product = {
  path: "",
  metadata: {
    revocation_endpoint: "https://oauth2.googleapis.com/revoke",
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
  },
  claims: {
    azp: "stowage",
    sub: "10769150350006150715113082367",
    at_hash: "HK6E_P6Dh8Y93mRNtsDB1Q",
    hd: "example.com",
    email: "jsmith@example.com",
    email_verified: "true",
  },
  settings: { groupsClaim: "hd" },
  group: "example.com",
  loginName: "jsmith@example.com",
};

const zitadel: Product = {
  path: "",
  claims: {
    aud: ["stowage", "177073608051458051"],
    azp: "stowage",
    client_id: "stowage",
    sub: "165461784430567515",
    sid: "V1_165461784430567516",
    [zitadelRoles]: { reader: { "165461784430567513": "acme.zitadel.cloud" } },
  },
  settings: { groupsClaim: zitadelRoles, scopes: `openid profile email ${zitadelRoles}` },
  group: "reader",
  loginName: "165461784430567515",
};

const authentik: Product = {
  path: "/application/o/stowage/",
  claims: {
    sub: "c2f1d7a0a3d14a0f3a5b6c7d8e9f0a1b",
    auth_time: 1_700_000_000,
    acr: "goauthentik.io/providers/oauth2/default",
    amr: ["pwd"],
    sid: "4f1d9a3b",
    email: "ada@example.com",
    preferred_username: "akadmin",
    nickname: "akadmin",
    groups: ["authentik Admins", "staff"],
  },
  group: "staff",
  loginName: "akadmin",
};

/** Starts the product and a service; signs in with the claims. Returns the page at the end. */
async function signInAt(product: Product, changes: Record<string, unknown> = {}) {
  await using other = await startDocumentedProvider(product.path);
  Object.assign(other.metadata, product.metadata);
  await using service = await startTestService({
    identityProvider: settingsOf(other.issuer, product.settings),
  });
  const group = { groupName: product.group, organisationId: "acme", authorizationDetails: null };
  await setProviderGroup(service.pool, group);
  const browser = new TestBrowser();
  const { url, text } = await browser.open(`${service.authUrl}/account`);
  assert.ok(url.startsWith(other.url), text);
  const request = new URL(url).searchParams;
  assert.equal(request.get("scope"), product.settings?.scopes ?? "openid profile email");
  const now = Math.floor(Date.now() / 1000);
  other.idToken = await other.sign({
    iss: other.issuer,
    aud: "stowage",
    iat: now,
    nbf: now,
    exp: now + 300,
    nonce: request.get("nonce"),
    ...product.claims,
    ...changes,
  });
  const query = new URLSearchParams({
    code: "a code",
    state: request.get("state") ?? "",
    // Keycloak and Entra ID add this, Google the next two.
    session_state: "x",
    authuser: "0",
    prompt: "none",
  });
  if (product.metadata?.authorization_response_iss_parameter_supported) {
    query.set("iss", other.issuer);
  }
  const page = await browser.open(`${service.authUrl}/provider/callback?${query}`);
  return textOf(page.text);
}

const textOf = (text: string) =>
  (/<main>(.*)<\/main>/s.exec(text)?.[1] ?? "").replaceAll(/<[^>]*>/g, " ");

for (const [name, product] of Object.entries({ keycloak, entra, google, zitadel, authentik })) {
  it(`a person of ${name} signs in`, async () => {
    const page = await signInAt(product);
    assert.match(page, new RegExp(`You are signed in as ${product.loginName}\\.`));
  });
}

it("Entra ID leaves out too many groups, in two ways, and the page says so", async () => {
  const overage = {
    groups: undefined,
    _claim_names: { groups: "src1" },
    _claim_sources: {
      src1: { endpoint: `https://graph.microsoft.com/v1.0/users/x/getMemberObjects` },
    },
  };
  const tooMany = /You have no access.*more groups than your provider can name/s;
  assert.match(await signInAt(entra, overage), tooMany);
  assert.match(await signInAt(entra, { groups: undefined, hasgroups: "true" }), tooMany);
  // App roles have no limit.
  const roles = { ...entra, group: "Reader", settings: { groupsClaim: "roles" } };
  assert.match(await signInAt(roles, { ...overage, roles: ["Reader"] }), /You are signed in as/);
});

it("private accounts of Google have no domain, and no access", async () => {
  const page = await signInAt(google, { hd: undefined, email: "jsmith@gmail.com" });
  assert.match(page, /None of your groups has access to this service/);
});
