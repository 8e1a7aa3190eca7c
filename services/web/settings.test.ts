import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSettings, SettingsError } from "@stowage/process";
import { settingsTable } from "./settings.ts";

const read = (changes: Record<string, string>) =>
  readSettings(settingsTable, { CLIENT_ID: "id", ...changes });

describe("PAGE_URL", () => {
  for (const given of [
    ...["https://files.example.com", "https://files.example.com:8443", "http://localhost:8082"],
    ...["http://127.0.0.1:8082", "http://[::1]:8082"],
  ]) {
    it(`may be ${given}, with or without a slash`, () => {
      assert.equal(read({ PAGE_URL: given }).pageUrl, given);
      assert.equal(read({ PAGE_URL: `${given}/` }).pageUrl, given);
    });
  }

  for (const given of [
    ...["http://files.example.com", "http://192.168.1.2:8082", "https://files.example.com/app"],
    ...["https://Files.example.com", "https://files.example.com:443", "files.example.com"],
    "http://127.0.0.1.example.com",
  ]) {
    it(`is not ${given}: browsers would not store the cookie, or its paths would be others`, () => {
      assert.throws(() => read({ PAGE_URL: given }), SettingsError);
    });
  }
});

it("the session's cookie has a name that no other host can set", () => {
  assert.equal(read({}).sessionCookie, "__Host-stowage");
  assert.equal(read({ SESSION_COOKIE: "__Host-files_2" }).sessionCookie, "__Host-files_2");
  for (const name of ["stowage", "__Secure-stowage", "__Host-", "__Host-a b", "__Host-a;b"]) {
    assert.throws(() => read({ SESSION_COOKIE: name }), /SESSION_COOKIE.*need __Host- and then/);
  }
});

it("sessions last for 8 hours without use, and 7 days, by default", () => {
  const { pageSessionIdleS, pageSessionMaxS, port } = read({});
  assert.deepEqual([pageSessionIdleS, pageSessionMaxS, port], [28_800, 604_800, 8082]);
});

it("the page is this checkout's build by default, wherever the program is started", () => {
  assert.match(read({}).pageDir, /\/clients\/web\/dist$/);
  assert.equal(read({ PAGE_DIR: "/srv/page" }).pageDir, "/srv/page");
});

it("a client is required", () => {
  const message = /CLIENT_ID: got nothing, need the ID that stowage clients add prints/;
  assert.throws(() => readSettings(settingsTable, {}), message);
});

it("an issuer with a slash at its end is refused, as by the authorisation service", () => {
  const AUTH_URL = "https://auth.example.com/";
  assert.throws(() => read({ AUTH_URL }), /AUTH_URL: got .*, need an address without a slash/);
});
