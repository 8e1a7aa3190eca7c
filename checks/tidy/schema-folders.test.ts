import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoFaults } from "./assert-no-faults.ts";
import { repositoryFiles } from "./repository.ts";
import { schemaFaults } from "./schema-folders.ts";

const folder = "services/uploads/schema/";

function filesNamed(...names: string[]) {
  return names.map((name) => ({ path: `${folder}${name}`, text: "" }));
}

describe("folders of database steps", () => {
  it("hold SQL only, numbered without a gap", () => {
    assertNoFaults(schemaFaults(repositoryFiles()));
  });

  it("may have a picture, a README and tests beside the steps", () => {
    const names = ["0001-a.sql", "0002-b.sql", "current.sql", "README.md", "schema.pg.test.ts"];
    assert.deepEqual(schemaFaults(filesNamed(...names)), []);
  });

  it("may not leave a number out, use it twice, or begin elsewhere", () => {
    for (const [second, fault] of [
      ["0003-b.sql", "0003-b.sql: need number 0002"],
      ["0001-b.sql", "0001-b.sql: need number 0002"],
      ["0000-a.sql", "0000-a.sql: need number 0001"],
    ] as const) {
      assert.ok(
        schemaFaults(filesNamed("0001-a.sql", second)).includes(`${folder}${fault}`),
        fault,
      );
    }
  });

  it("may not hold code, or steps under other names", () => {
    for (const name of ["migrate.ts", "1-a.sql", "0001_a.sql", "down/0001-a.sql"]) {
      const need = "need NNNN-what.sql, current.sql, README.md or a test";
      assert.deepEqual(schemaFaults(filesNamed(name)), [`${folder}${name}: ${need}`]);
    }
  });
});
