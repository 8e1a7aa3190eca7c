import assert from "node:assert/strict";
import { homedir } from "node:os";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { leftoversOf } from "./leftovers.ts";
import { repositoryFiles, root } from "./repository.ts";

describe("leftovers", () => {
  it("are in no file", () => {
    assertNoProblems(leftoversOf(repositoryFiles()));
  });

  for (const [text, problem] of [
    ['it.only("a", () => {});', "a test that does not run proves nothing"],
    ["context.skip();", "a test that does not run proves nothing"],
    ["// TODO: later", "do it, or open an issue"],
    ["-- FIXME", "do it, or open an issue"],
    ["registry=https://registry.example.org/", "the registry is each machine's own choice"],
    ["cd /home/ann/stowage", "a path of one machine"],
    [`import "${root}/api/a.ts";`, "a path of one machine"],
    [`cat ${homedir()}/.npmrc`, "a path of one machine"],
  ] as const) {
    it(`include ${JSON.stringify(text)}`, () => {
      assert.deepEqual(leftoversOf([{ path: "a.ts", text: `\n${text}\n` }]), [
        `a.ts:2: ${problem}`,
      ]);
    });
  }

  it("do not include similar words", () => {
    const text = "path.onlyMatches; todos; /photos/home/ann; the key registry";
    assert.deepEqual(leftoversOf([{ path: "a.ts", text }]), []);
  });
});
