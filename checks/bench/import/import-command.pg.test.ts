import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { cephIsMissing, type EndedProcess, startNode } from "@stowage/process/testing";
import { root } from "../../testing/programs.ts";

/** Little data: whether it works, not how fast. */
describe("the benchmark of imports", () => {
  let ended: EndedProcess;
  before(async () => {
    const sizes = ["--uploads", "200", "--files", "100", "--objects", "300"];
    ended = await startNode(["checks/bench/main.ts", "import", ...sizes], { cwd: root }).ended;
  });

  const rowsOf = (what: string) =>
    [...ended.stdout.matchAll(new RegExp(`^\\| ${what} .*\\d.*\\|$`, "gm"))].length;

  it("measures lines and a directory, first and second, beside COPY", () => {
    assert.equal(ended.exitCode, 0, ended.stderr);
    assert.equal(rowsOf("200 lines"), 3, ended.stdout);
    assert.equal(rowsOf("a directory of 100 files"), 3, ended.stdout);
    assert.equal(/Without a bucket, which needs/.test(ended.stdout), Boolean(cephIsMissing));
  });

  it("measures a bucket also beside a bare listing", { skip: cephIsMissing }, () => {
    assert.equal(rowsOf("a bucket of 300 objects"), 6, ended.stdout);
    const verdicts = ended.stdout.matchAll(/: listing .* (?:pass|MISS) \|$/gm);
    assert.equal([...verdicts].length, 2, ended.stdout);
  });
});
