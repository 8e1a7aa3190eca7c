import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { runProgram } from "../testing/program.ts";

it("an import runs the embedded database and leaves out the data folder", async () => {
  const directory = await mkdtemp(join(tmpdir(), "stowage-embedded-"));
  try {
    // Where root may not run the server, another user must be able to reach it.
    await chmod(directory, 0o711);
    await writeFile(join(directory, "file"), "content");
    const parameters = ["dir", directory, "--bucket", "b", "--organisation", "o"];
    const environment = { DATA_DIR: join(directory, "data") };
    for (const outcome of ["2 new, 0 changed, 0 unchanged", "0 new, 0 changed, 2 unchanged"]) {
      const { exitCode, output, errors } = await runProgram(parameters, { environment });
      assert.deepEqual({ exitCode, errors }, { exitCode: 0, errors: "" });
      assert.ok(output.includes("imported 1 upload and 1 folder into b"), output);
      assert.ok(output.includes(outcome), output);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
