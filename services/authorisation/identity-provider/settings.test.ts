import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { SettingsError } from "@stowage/process";
import { makeTemporaryFolder } from "@stowage/process/testing";
import { findIdentityProvider } from "./settings.ts";

const issuer = "https://login.example.com/realms/acme";

it("without an issuer there is no other provider", async () => {
  assert.equal(await findIdentityProvider({ AUTH_PROVIDER_CLIENT_ID: "x" }), undefined);
});

it("the secret comes from a file, and its line break does not count", async (t) => {
  const { path, remove } = await makeTemporaryFolder();
  t.after(remove);
  const file = join(path, "secret");
  await writeFile(file, "a secret\n");
  const found = await findIdentityProvider({
    AUTH_PROVIDER_ISSUER: issuer,
    AUTH_PROVIDER_CLIENT_ID: "stowage",
    AUTH_PROVIDER_CLIENT_SECRET_FILE: file,
    AUTH_PROVIDER_AUDIENCES: "cli  other",
  });
  assert.deepEqual(found, {
    issuer,
    name: "login.example.com",
    clientId: "stowage",
    clientSecret: "a secret",
    scopes: "openid profile email",
    groupsClaim: "groups",
    audiences: ["stowage", "cli", "other"],
  });
});

const wrong: [string, Record<string, string>, RegExp][] = [
  ["no client ID", {}, /AUTH_PROVIDER_CLIENT_ID: got nothing/],
  [
    "an issuer without TLS on another machine",
    { AUTH_PROVIDER_ISSUER: "http://login.example.com", AUTH_PROVIDER_CLIENT_ID: "stowage" },
    /AUTH_PROVIDER_ISSUER: need an https address/,
  ],
  [
    "no such file",
    { AUTH_PROVIDER_CLIENT_ID: "stowage", AUTH_PROVIDER_CLIENT_SECRET_FILE: "/nowhere" },
    /AUTH_PROVIDER_CLIENT_SECRET_FILE: cannot read it/,
  ],
];
for (const [what, environment, message] of wrong) {
  it(`refuses settings with ${what}`, async () => {
    const reading = findIdentityProvider({ AUTH_PROVIDER_ISSUER: issuer, ...environment });
    await assert.rejects(reading, (error: Error) => {
      assert.ok(error instanceof SettingsError);
      assert.match(error.message, message);
      return true;
    });
  });
}
