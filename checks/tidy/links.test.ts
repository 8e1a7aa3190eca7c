import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { brokenLinks } from "./links.ts";
import { repositoryFiles, repositoryPaths } from "./repository.ts";

const others = [
  { path: "README.md", text: "# Stowage\n\n## How it `works`, in short\n" },
  { path: "docs/decisions/0001-a.md", text: "" },
];

describe("links in Markdown", () => {
  it("lead to files and headings that exist", () => {
    assertNoProblems(brokenLinks(repositoryFiles(), repositoryPaths()));
  });

  for (const link of [
    "../README.md",
    "../README.md#stowage",
    "../README.md#how-it-works-in-short",
    "decisions/0001-a.md",
    "decisions/",
    "..",
    "#here",
    "https://example.com/nowhere",
    "mailto:a@example.com",
  ]) {
    it(`may lead to ${link}`, () => {
      const text = `# Here\n[a](${link})\n\n[b]: ${link}\n`;
      assert.deepEqual(brokenLinks([...others, { path: "docs/a.md", text }]), []);
    });
  }

  for (const link of [
    "README.md",
    "../README.md#elsewhere",
    "decisions/0002-b.md",
    "#there",
    "x/",
  ]) {
    it(`may not lead to ${link}`, () => {
      for (const text of [`[a](${link})`, `![a](${link} "b")`, `[a]: ${link}`]) {
        const problems = brokenLinks([...others, { path: "docs/a.md", text }]);
        assert.deepEqual(problems, [`docs/a.md: ${link}`]);
      }
    });
  }

  it("in code are ignored", () => {
    const text = "`[a](nowhere)`\n```\n[a](nowhere)\n```\n";
    assert.deepEqual(brokenLinks([{ path: "a.md", text }]), []);
  });
});
