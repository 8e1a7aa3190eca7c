import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { importCycles } from "./import-cycles.ts";
import { repositoryFiles } from "./repository.ts";

const manifests = [
  { path: "api/package.json", text: '{"name": "@stowage/api", "exports": {"./*": "./*.ts"}}' },
  { path: "services/a/package.json", text: '{"name": "@stowage/a"}' },
];

/** The cycles among files that are given as `path imports specifier`. */
function cyclesOf(...imports: readonly string[]): readonly string[] {
  const files = imports.map((line) => {
    const [path = "", specifier] = line.split(" imports ");
    return { path, text: `import type { A } from "${specifier}";\n` };
  });
  return importCycles([...manifests, ...files]);
}

describe("import cycles", () => {
  it("are in no package", () => {
    assertNoProblems(importCycles(repositoryFiles()));
  });

  it("are found between two files", () => {
    const cycles = cyclesOf(
      "services/a/lists/page.ts imports ./cursor.ts",
      "services/a/lists/cursor.ts imports ./page.ts",
    );
    assert.deepEqual(cycles, ["services/a/lists: cursor.ts → page.ts → cursor.ts"]);
  });

  it("are found between two folders, whose files may have none", () => {
    const cycles = cyclesOf(
      "services/a/lists/page.ts imports ../access/scope.ts",
      "services/a/access/deep/bucket.ts imports ../../lists/name.ts",
    );
    assert.deepEqual(cycles, ["services/a: access → lists → access"]);
  });

  it("are found between three folders, beside pairs of them", () => {
    const cycles = cyclesOf(
      "services/a/one/a.ts imports ../two/a.ts",
      "services/a/two/b.ts imports ../three/a.ts",
      "services/a/three/b.ts imports ../one/b.ts",
      "services/a/one/c.ts imports ../main.ts",
      "services/a/main.ts imports ./one/d.ts",
    );
    assert.deepEqual(cycles, [
      "services/a: main.ts → one → main.ts",
      "services/a: one → two → three → one",
    ]);
  });

  it("are not looked for in tests and their support", () => {
    const cycles = cyclesOf(
      "services/a/lists/page.test.ts imports ../access/scope.ts",
      "services/a/testing/sample.ts imports ../lists/page.ts",
      "services/a/access/scope.ts imports ../lists/page.ts",
    );
    assert.deepEqual(cycles, []);
  });

  it("are no imports of other packages", () => {
    const cycles = cyclesOf(
      "services/a/main.ts imports @stowage/api/json",
      "services/a/main.ts imports node:fs",
      "api/json.ts imports ./text.ts",
    );
    assert.deepEqual(cycles, []);
  });
});
