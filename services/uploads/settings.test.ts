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

  for (const wrong of ["acme", "acme=", "=4", "acme=0", "acme=1001", "acme=1.5", "acme=4,b=2"]) {
    it(`refuses ${wrong}`, () => {
      assert.throws(() => weightsOf(wrong), SettingsError);
    });
  }
});
