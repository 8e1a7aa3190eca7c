import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSettings, SettingsError } from "@stowage/process";
import { settingsTable } from "./settings.ts";

const weightsOf = (text: string) =>
  readSettings(settingsTable, { TENANT_WEIGHTS: text }).tenantWeights;

describe("TENANT_WEIGHTS", () => {
  it("gives weights to organisations", () => {
    assert.deepEqual(weightsOf(""), new Map());
    assert.deepEqual(
      weightsOf("acme=4  globex-2=1000"),
      new Map([
        ["acme", 4],
        ["globex-2", 1000],
      ]),
    );
  });

  for (const wrong of [
    "acme",
    "acme=",
    "=4",
    "acme=0",
    "acme=1001",
    "acme=1.5",
    "acme=4,b=2",
    "a=1 a=2",
  ]) {
    it(`refuses ${wrong}`, () => {
      assert.throws(() => weightsOf(wrong), SettingsError);
    });
  }
});

const originsOf = (text: string) => readSettings(settingsTable, { CORS_ORIGINS: text }).corsOrigins;

describe("CORS_ORIGINS", () => {
  it("has none by default, and exact origins", () => {
    assert.deepEqual(originsOf(""), []);
    assert.deepEqual(originsOf("https://app.example.com  http://localhost:5173"), [
      "https://app.example.com",
      "http://localhost:5173",
    ]);
  });

  for (const wrong of ["*", "null", "app.example.com", "https://a.example/", "https://A.example"]) {
    it(`refuses ${wrong}`, () => {
      assert.throws(() => originsOf(wrong), SettingsError);
    });
  }
});

it("an issuer with a slash at its end is refused, as by the authorisation service", () => {
  const AUTH_URL = "https://auth.example.com/";
  assert.throws(
    () => readSettings(settingsTable, { AUTH_URL }),
    /AUTH_URL: got .*, need an address without a slash/,
  );
});
