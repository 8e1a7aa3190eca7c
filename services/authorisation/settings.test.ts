import assert from "node:assert/strict";
import { it } from "node:test";
import { readSettings, SettingsError } from "@stowage/process";
import { commandSettings, serviceSettings } from "./settings.ts";

it("everything has a default", () => {
  const { dataDir, ...settings } = readSettings(serviceSettings, {});
  assert.deepEqual(settings, {
    host: "127.0.0.1",
    port: 8081,
    authUrl: undefined,
    audience: ["urn:svc:uploads"],
    keyEncryptionKey: undefined,
    keyEncryptionKeyFile: undefined,
    keyPublicationS: 60,
    addressRequestsPerMinuteMax: 60_000,
    clientRequestsPerMinuteMax: 600,
    addressLoginsPerMinuteMax: 30,
    accountLoginsPerMinuteMax: 10,
    pendingMax: 50_000,
    addressUserCodesPerMinuteMax: 10,
    addressConnectionsMax: 1000,
    trustedProxies: [],
    authorisationsKeptDays: 400,
    accessTokenLifetimeS: 3600,
    sessionIdleS: 14 * 86_400,
    sessionMaxS: 30 * 86_400,
    refreshTokenIdleS: 14 * 86_400,
    refreshTokenMaxS: 90 * 86_400,
    refreshTokenGraceS: 30,
    signInPageS: 3600,
    authProviderIssuer: undefined,
    authProviderName: undefined,
    authProviderClientId: undefined,
    authProviderClientSecretFile: undefined,
    authProviderScopes: "openid profile email",
    authProviderGroupsClaim: "groups",
    authProviderAudiences: undefined,
    authProviderSessionS: 8 * 3600,
    drainMs: 5000,
    keepAliveTimeoutMs: 75_000,
    accessLog: "sampled",
    metricsPort: undefined,
    databaseUrl: undefined,
    logLevel: "info",
  });
  assert.equal(dataDir.isDefault, true);
  assert.equal(readSettings(commandSettings, {}).logLevel, "warn");
});

it("the issuer is kept exactly, and several audiences may be given", () => {
  const settings = readSettings(serviceSettings, {
    AUTH_URL: "https://Photos.example.com:443/sign-in",
    AUDIENCE: "urn:svc:uploads  https://other.example/api",
  });
  assert.equal(settings.authUrl, "https://Photos.example.com:443/sign-in");
  assert.deepEqual(settings.audience, ["urn:svc:uploads", "https://other.example/api"]);
});

it("all wrong settings are reported at once", () => {
  const environment = {
    PORT: "65536",
    AUTH_URL: "https://photos.example.com/",
    AUDIENCE: "uploads",
    TRUSTED_PROXIES: "10.0.0.0/99",
    AUTHORISATIONS_KEPT_DAYS: "0",
    DATABASE_URL: "mysql://root:hunter2@localhost/x",
    LOG_LEVEL: "loud",
  };
  assert.throws(
    () => readSettings(serviceSettings, environment),
    (error: SettingsError) => {
      assert.ok(error instanceof SettingsError);
      for (const name of Object.keys(environment)) assert.match(error.message, new RegExp(name));
      assert.ok(!error.message.includes("hunter2"));
      return true;
    },
  );
});

for (const audience of [
  " ",
  "uploads",
  "urn:svc:uploads#part",
  "urn:svc:uploads,urn:svc:other x",
]) {
  it(`refuses "${audience}" as AUDIENCE`, () => {
    assert.throws(() => readSettings(serviceSettings, { AUDIENCE: audience }), SettingsError);
  });
}
