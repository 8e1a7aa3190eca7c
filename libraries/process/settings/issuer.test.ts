import assert from "node:assert/strict";
import { it } from "node:test";
import { issuerSetting } from "./issuer.ts";
import { rows } from "./setting-rows.ts";
import { readSettings, SettingsError } from "./settings.ts";

const row = issuerSetting(rows.url("Issuer.", { optional: true }));

it("the issuer is kept exactly, and may be left out", () => {
  for (const given of ["https://Photos.example.com:443/sign-in", undefined]) {
    assert.equal(readSettings({ AUTH_URL: row }, { AUTH_URL: given }).authUrl, given);
  }
});

const wrongIssuers = {
  "https://host/": "an address without a slash at its end",
  "https://host//x": "an address without empty path segments",
  "https://host/x//y": "an address without empty path segments",
  "https://host/\\x": "an address without empty path segments",
  "HTTPS://host": "an address that begins with http:// or https:// in lower case",
  "https:host": "an address that begins with http:// or https:// in lower case",
  "https:///host": "an address that begins with http:// or https:// in lower case",
};
for (const [issuer, need] of Object.entries(wrongIssuers)) {
  it(`refuses "${issuer}" as AUTH_URL`, () => {
    assert.throws(
      () => readSettings({ AUTH_URL: row }, { AUTH_URL: issuer }),
      new SettingsError([`AUTH_URL: got ${JSON.stringify(issuer)}, need ${need}`]),
    );
  });
}
