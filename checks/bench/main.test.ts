import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type EndedProcess, startNode } from "@stowage/process/testing";

describe("npm run bench", () => {
  it("tells which benchmarks there are", async () => {
    const { exitCode, stdout } = await bench("--help");
    assert.equal(exitCode, 0);
    assert.match(stdout, /^ {2}tokens /m);
    assert.match(stdout, /^ {2}key-flood /m);
  });

  it("refuses an unknown one, and tells which there are", async () => {
    const { exitCode, stdout, stderr } = await bench("tokenz");
    assert.equal(exitCode, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /unknown command 'tokenz'/);
    assert.match(stderr, /^ {2}tokens /m);
  });

  for (const seconds of ["0", "-1", "a", "3601"]) {
    it(`refuses to measure for ${seconds} seconds`, async () => {
      const { exitCode, stderr } = await bench("tokens", `--seconds=${seconds}`);
      assert.equal(exitCode, 2);
      assert.match(stderr, /Need a number of seconds up to 3600/);
    });
  }

  it("measures every validator in every setting, and says whether the goals are met", async () => {
    const { exitCode, stdout, stderr } = await bench("tokens", "--seconds=0.1");
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /npm run bench -- tokens --seconds 0\.1`/);
    const rowsOf = (form: RegExp) => [...stdout.matchAll(form)].length;
    assert.equal(rowsOf(/^\| (?:same string|new strings), (?:1|32) at once: .+\d/gm), 32, stdout);
    assert.equal(rowsOf(/\| (?:pass|MISS) \|/g), 20, stdout);
  });
});

function bench(...parameters: string[]): Promise<EndedProcess> {
  return startNode([join(import.meta.dirname, "main.ts"), ...parameters]).ended;
}
