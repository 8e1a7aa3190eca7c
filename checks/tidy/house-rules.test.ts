/** Every house rule, on this repository and on one thing that it must find. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { folderOrders } from "./folder-order.ts";
import { forbiddenImports, orderProblems } from "./imports.ts";
import { leftoversOf } from "./leftovers.ts";
import { lockProblems } from "./lock-file.ts";
import { badNames } from "./names.ts";
import { type RepositoryFile, repositoryFiles } from "./repository.ts";
import { schemaProblems } from "./schema-folders.ts";
import { longFilesOf, longLines } from "./sizes.ts";
import { suppressionProblems } from "./suppressions.ts";
import { versionProblems } from "./versions.ts";

type Rule = (files: readonly RepositoryFile[]) => readonly string[];

const rules: Readonly<Record<string, Rule>> = {
  "files import only what the folder rule and the folder order allow": (files) =>
    forbiddenImports(files),
  "source files have at most 300 lines, tests 500": longFilesOf,
  "lines have at most 100 columns": longLines,
  "names are in kebab-case and say what is inside": badNames,
  "nothing is left over": leftoversOf,
  "migrations are numbered without a gap": schemaProblems,
  "versions are exact, and the same everywhere": versionProblems,
  "the lock file is complete, and scripts are allowed by name": lockProblems,
  "the linter is switched off only in listed places": suppressionProblems,
};

const files = repositoryFiles();
for (const [title, rule] of Object.entries(rules)) {
  it(title, () => assert.deepEqual(rule(files), []));
}

for (const [folder, order] of Object.entries(folderOrders)) {
  it(`the order of ${folder} runs downwards`, () => assert.deepEqual(orderProblems(order), []));
}

const packages = ["api", "libraries/process", "services/uploads", "services/web"].map((folder) => ({
  path: `${folder}/package.json`,
  text: JSON.stringify({ name: `@stowage/${folder.replace(/^.*\//, "")}` }),
}));

/** Put together here, or the statement would be found in this file. */
const importing = (specifier: string) => `${"import"} "${specifier}";\n`;

describe("a house rule", () => {
  const found: readonly [rule: Rule, path: string, text: string, problem: RegExp][] = [
    [forbiddenImports, "api/a.ts", importing("@stowage/process"), /may import nothing of ours/],
    [forbiddenImports, "services/web/a.ts", importing("@stowage/uploads"), /may import api, lib/],
    [forbiddenImports, "services/web/a.ts", importing("../uploads/a.ts"), /into another package/],
    [forbiddenImports, "services/web/page/a.ts", importing("../testing/a.ts"), /only tests may/],
    [forbiddenImports, "services/web/page/a.ts", importing("../session/a.ts"), /page may import/],
    [forbiddenImports, "services/web/new/a.ts", importing("../page/a.ts"), /does not list/],
    [longFilesOf, "services/a.sql", "a\n".repeat(301), /has 301 lines/],
    [longFilesOf, "services/a.test.ts", "a\n".repeat(501), /has 501 lines/],
    [longLines, "a.ts", `\n${"é".repeat(101)}`, /a\.ts:2 has 101 columns/],
    [longLines, "a.md", `${"a".repeat(96)} ${"a".repeat(96)}`, /a\.md:1/],
    [badNames, "rpc/listUploads.ts", "", /not in kebab-case/],
    [badNames, "rpc/path-helper.ts", "", /does not say what is inside/],
    [badNames, "rpc/test-support/a.ts", "", /in folders called testing/],
    [leftoversOf, "a.test.ts", "it.skip();", /proves nothing/],
    [leftoversOf, "package.json", "https://registry.example.org/", /each machine's own choice/],
    [schemaProblems, "services/uploads/schema/0002-a.sql", "", /need number 0001/],
    [schemaProblems, "services/uploads/schema/a.ts", "", /need NNNN-what\.sql/],
    [versionProblems, "package.json", '{"dependencies": {"pg": "^8.0.0"}}', /one exact version/],
    [
      lockProblems,
      "package-lock.json",
      '{"packages": {"node_modules/a": {"optionalDependencies": {"b": "1"}}}}',
      /needs b, which is not in it/,
    ],
    [
      lockProblems,
      "package-lock.json",
      '{"packages": {"node_modules/a": {"hasInstallScript": true}}}',
      /a has an install script/,
    ],
  ];
  for (const [rule, path, text, problem] of found) {
    it(`finds ${path}: ${problem.source}`, () => {
      const problems = rule([...packages, { path, text }]);
      assert.match(problems.join("\n"), problem);
    });
  }
});
