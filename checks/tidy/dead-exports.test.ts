import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { deadExports } from "./dead-exports.ts";
import { repositoryFiles } from "./repository.ts";

const manifest = {
  path: "libraries/a/package.json",
  text: '{"name": "@stowage/a", "exports": {".": "./index.ts", "./json/*": "./json/*.ts"}}',
};

/** Put together here, or the statements would be found in this file. */
function importing(names: string, specifier: string): string {
  return `${"import"} ${names} from "${specifier}";\n`;
}

function deadIn(files: Readonly<Record<string, string>>): readonly string[] {
  return deadExports([
    manifest,
    ...Object.entries(files).map(([path, text]) => ({ path: `libraries/a/${path}`, text })),
  ]);
}

describe("dead exports", () => {
  it("are in no package", () => {
    assertNoProblems(deadExports(repositoryFiles()));
  });

  it("are those that no other file imports, of every kind", () => {
    const text = [
      "export function one() {}",
      "export async function* two() {}",
      "export const three = one();",
      "export class Four {}",
      "export interface Five {}",
      "export type Six = Five;",
      'export { seven as eight, type Nine } from "./b.ts";',
    ];
    const names = ["one", "two", "three", "Four", "Five", "Six", "eight", "Nine"];
    assert.deepEqual(
      deadIn({ "a.ts": text.join("\n") }),
      names.map((name) => `libraries/a/a.ts: ${name}`),
    );
  });

  it("are not those that another file imports", () => {
    const dead = deadIn({
      "one.ts": "export const a = 1;\nexport type B = 2;\nexport const c = 3;\n",
      "json/two.ts": "export const d = 4;\n",
      "three.ts": "export const e = 5;\n",
      "main.ts":
        importing("{ a, type B as Other }", "./one.ts") +
        importing("{ d }", "@stowage/a/json/two") +
        importing("* as three", "./three.ts"),
    });
    assert.deepEqual(dead, ["libraries/a/one.ts: c"]);
  });

  it("are not those of a file that other packages may import by its name", () => {
    assert.deepEqual(deadIn({ "index.ts": "export const a = 1;\n" }), []);
  });

  it("are those that only tests import, if the file itself does not use them", () => {
    const dead = deadIn({
      "one.ts": "export const aMax = 1;\nexport function b() { return aMax; }\n",
      "one.test.ts": importing("{ aMax, b }", "./one.ts"),
    });
    assert.deepEqual(dead, ["libraries/a/one.ts: b"]);
  });

  it("are not those of test support that tests import", () => {
    const dead = deadIn({
      "testing/sample.ts": "export const a = 1;\nexport const b = 2;\n",
      "one.test.ts": importing("{ a }", "./testing/sample.ts"),
    });
    assert.deepEqual(dead, ["libraries/a/testing/sample.ts: b"]);
  });
});
