import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";

async function printedBy(module: string): Promise<string> {
  const program = `await import(${JSON.stringify(module)})`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { cwd: import.meta.dirname },
  );
  return stdout + stderr;
}

it("oidc-provider warns about this Node.js", async () => {
  assert.match(await printedBy("oidc-provider"), /Unsupported runtime/);
});

it("loads without a word", async () => {
  assert.equal(await printedBy("./library.ts"), "");
});
