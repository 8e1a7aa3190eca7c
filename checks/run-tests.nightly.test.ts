import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import {
  makeTemporaryFolder,
  type StartedProcess,
  startNode,
  until,
} from "@stowage/process/testing";

const file = "libraries/process/error-text.test.ts";

function run(arguments_: readonly string[], temporary = tmpdir()): StartedProcess {
  return startNode(["checks/run-tests.ts", ...arguments_], {
    cwd: dirname(import.meta.dirname),
    env: { NODE_TEST_CONTEXT: undefined, TMPDIR: temporary },
  });
}

describe("npm test", () => {
  it("prints which tests it ran, and on which PostgreSQL", async () => {
    const { exitCode, stdout } = await run([file]).ended;
    assert.equal(exitCode, 0, stdout);
    assert.match(stdout, /^tests: running on PostgreSQL \(embedded 18\)$/m);
    assert.match(stdout, /^ℹ fail 0$/m);
    assert.match(stdout, /^tests: 1 file on PostgreSQL \(embedded 18\) passed$/m);
    assert.match(
      stdout,
      /^tests: none of these files depends on the version of PostgreSQL: nothing ran again$/m,
    );
  });

  it("exits with 1 when a test fails", async () => {
    const { exitCode, stdout, stderr } = await run([file, "--test-timeout=1"]).ended;
    assert.equal(exitCode, 1);
    assert.match(stdout, /^tests: 1 file on PostgreSQL \(embedded 18\) FAILED$/m);
    assert.match(stderr, /^tests: not everything passed$/m);
  });

  it("exits with 1 when no file matches", async () => {
    const { exitCode, stderr } = await run(["no/such/file"]).ended;
    assert.deepEqual([exitCode, stderr], [1, "tests: Cannot find a test file with no/such/file\n"]);
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    it(`leaves nothing behind after ${signal}`, async () => {
      const temporary = await makeTemporaryFolder();
      const tests = run(["libraries/process/database/embedded/sharing"], temporary.path);
      await tests.line(/running on/);
      tests.kill(signal);
      const { exitCode } = await tests.ended;
      assert.equal(exitCode, signal === "SIGTERM" ? 143 : null);
      // The process that cleans up ends a moment later.
      const isEmpty = async () => (await readdir(temporary.path)).length === 0;
      await until("nothing is left", isEmpty);
      await temporary.remove();
    });
  }
});
