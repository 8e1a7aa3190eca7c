import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems, assertOnlyExceptions } from "./assert-no-problems.ts";
import { lintSuppressions } from "./exceptions.ts";
import { repositoryFiles } from "./repository.ts";
import { longFilesOf, longLines } from "./sizes.ts";

// Biome checks that functions have at most 70 lines (noExcessiveLinesPerFunction).
describe("sizes", () => {
  it("of files: at most 300 lines", () => {
    assertNoProblems(longFilesOf(repositoryFiles()));
  });

  it("of lines: at most 100 columns", () => {
    assertNoProblems(longLines(repositoryFiles()));
  });

  it("are not avoided by switching the linter off, but for the exceptions", () => {
    const suppression = ["biome", "ignore"].join("-");
    const suppressing = repositoryFiles().filter(({ text }) => text.includes(suppression));
    const paths = suppressing
      .map(({ path }) => path)
      .filter((path) => !path.endsWith("/exceptions.ts"));
    assertOnlyExceptions(paths, lintSuppressions);
  });
});

describe("longFilesOf()", () => {
  const lines = (count: number) => "a\n".repeat(count);

  it("finds code, SQL and protos of more than 300 lines", () => {
    for (const path of ["a.ts", "a.js", "schema/0001-a.sql", "a.proto"]) {
      assert.deepEqual(longFilesOf([{ path, text: lines(300) }]), []);
      assert.deepEqual(longFilesOf([{ path, text: lines(301) }]), [path]);
    }
  });

  it("ignores generated files and prose", () => {
    for (const path of ["api/generated/a.ts", "services/a/schema/current.sql", "README.md"]) {
      assert.deepEqual(longFilesOf([{ path, text: lines(301) }]), []);
    }
  });
});

describe("longLines()", () => {
  it("counts characters, not code units", () => {
    assert.deepEqual(longLines([{ path: "a.ts", text: "😀".repeat(100) }]), []);
    const [problem] = longLines([{ path: "a.ts", text: `\n${"é".repeat(101)}` }]);
    assert.equal(problem, "a.ts:2 has 101 columns");
  });

  it("lets imports and addresses be long", () => {
    const long = "a".repeat(100);
    assert.deepEqual(longLines([{ path: "a.ts", text: `import { a } from "./${long}.ts";` }]), []);
    assert.deepEqual(longLines([{ path: "a.ts", text: `// https://example.com/${long}` }]), []);
  });

  it("lets JSON have a long text in a line, and nothing else", () => {
    const text = `  "expr": "${"a".repeat(100)}\\"",`;
    assert.deepEqual(longLines([{ path: "a.json", text }]), []);
    assert.equal(longLines([{ path: "a.json", text: `${text} "b": 1` }]).length, 1);
  });

  const word = "a".repeat(96);

  for (const text of [
    `| ${word} | a |`,
    `[a]: https://a.example/${word}`,
    `  - [a](https://a.example/${word})`,
    `\`\`\`sh\ncp ${word} ${word}\n\`\`\``,
  ]) {
    it(`lets Markdown say ${JSON.stringify(text.replaceAll(word, "…"))}`, () => {
      assert.deepEqual(longLines([{ path: "a.md", text }]), []);
    });
  }

  for (const [line, text] of [
    [1, `${word} ${word}`],
    [1, `- [a](https://a.example/${word}) is long`],
    [2, `Text\n# ${word} ${word}\n`],
    [4, `\`\`\`sh\ncp a b\n\`\`\`\n${word} ${word}\n`],
  ] as const) {
    it(`finds line ${line} of ${JSON.stringify(text.replaceAll(word, "…"))} in Markdown`, () => {
      const [problem] = longLines([{ path: "a.md", text }]);
      assert.match(problem ?? "", new RegExp(`^a\\.md:${line} has \\d+ columns$`));
    });
  }
});
