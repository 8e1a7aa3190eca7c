import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { repositoryFiles } from "./repository.ts";
import { schemaProblems } from "./schema-folders.ts";

const folder = "services/uploads/schema/";

function filesNamed(...names: string[]) {
  return names.map((name) => ({ path: `${folder}${name}`, text: "" }));
}

describe("folders of migrations", () => {
  it("hold SQL only, numbered without a gap", () => {
    assertNoProblems(schemaProblems(repositoryFiles()));
  });

  it("may hold a schema snapshot, a README and tests", () => {
    const names = ["0001-a.sql", "0002-b.sql", "current.sql", "README.md", "schema.pg.test.ts"];
    assert.deepEqual(schemaProblems(filesNamed(...names)), []);
  });

  it("may not omit a number, repeat one, or start at another", () => {
    for (const [second, problem] of [
      ["0003-b.sql", "0003-b.sql: need number 0002"],
      ["0001-b.sql", "0001-b.sql: need number 0002"],
      ["0000-a.sql", "0000-a.sql: need number 0001"],
    ] as const) {
      assert.ok(
        schemaProblems(filesNamed("0001-a.sql", second)).includes(`${folder}${problem}`),
        problem,
      );
    }
  });

  it("may not hold code, or migrations with other names", () => {
    for (const name of ["migrate.ts", "1-a.sql", "0001_a.sql", "down/0001-a.sql"]) {
      const need = "need NNNN-what.sql, current.sql, README.md or a test";
      assert.deepEqual(schemaProblems(filesNamed(name)), [`${folder}${name}: ${need}`]);
    }
  });
});
