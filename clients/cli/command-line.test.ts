import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";

it("output that cannot be written is an error in one line", async () => {
  const program =
    'import { endWithOutput, write } from "./command-line.ts"; endWithOutput(); await write("a");' +
    " await new Promise((resolve) => setTimeout(resolve, 1000));";
  const command = '"$0" --input-type=module-typescript --eval "$1" > /dev/full';
  const parameters = ["-c", command, process.execPath, program];
  const run = promisify(execFile)("/bin/bash", parameters, { cwd: import.meta.dirname });
  await assert.rejects(run, {
    code: 1,
    stderr: "stowage: Cannot write the output: ENOSPC: no space left on device, write\n",
  });
});

for (const parameters of [
  ["ls", "--\u202e\n\u009b"],
  ["sources", "sync", "a", "\u202e\n\u009b"],
]) {
  it(`escapes what steers terminals in wrong usage of ${parameters[0]}`, async () => {
    const run = promisify(execFile)(process.execPath, ["main.ts", ...parameters], {
      cwd: import.meta.dirname,
    });
    await assert.rejects(run, ({ code, stderr }: { code: number; stderr: string }) => {
      assert.equal(code, 2);
      assert.doesNotMatch(stderr, /[^\n -~]|\n./);
      return true;
    });
  });
}
