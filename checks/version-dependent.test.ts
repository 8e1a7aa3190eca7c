import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { dependsOnVersion, versionDependentFolders } from "./version-dependent.ts";

describe("the tests that depend on the version of PostgreSQL", () => {
  for (const file of [
    "libraries/process/database/migrations/migrate.pg.test.ts",
    "services/uploads/lists/plans/list-plans.pg.test.ts",
    "services/uploads/import/merge/merge-buckets.pg.test.ts",
  ]) {
    it(`include ${file}`, () => assert.equal(dependsOnVersion(file), true));
  }

  for (const file of [
    "services/authorisation/sign-in/code-flow.pg.test.ts",
    "services/authorisation/main.pg.test.ts",
    "services/uploads/lists/cursor.test.ts",
    "checks/conformance/lists.pg.test.ts",
    "checks/import/lists.pg.test.ts",
  ]) {
    it(`do not include ${file}`, () => assert.equal(dependsOnVersion(file), false));
  }

  it("are in every one of the listed folders", async () => {
    const files: string[] = [];
    const pattern = "{libraries,services}/**/*.pg.test.ts";
    const cwd = dirname(import.meta.dirname);
    for await (const file of glob(pattern, { cwd, exclude: ["**/node_modules"] })) files.push(file);
    const empty = versionDependentFolders.filter(
      (folder) => !files.some((file) => file.includes(`/${folder}/`)),
    );
    assert.deepEqual(empty, []);
  });
});
