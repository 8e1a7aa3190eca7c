import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../testing/sample-program.ts";
import { removePartial } from "./cluster.ts";

describe("removePartial()", () => {
  it("removes what a creation left, and nothing that a user made", async (test) => {
    const home = await temporaryFolder(test);
    const kept = [
      "cluster.bak",
      "cluster.partial",
      "cluster.v17",
      "mycluster.0123456789ab.partial",
    ];
    const left = "cluster.0123456789ab.partial";
    for (const name of ["cluster", ...kept, left]) {
      await mkdir(join(home, name, "base"), { recursive: true });
    }
    const files = ["cluster.tar.gz", `${left}.gz`];
    for (const name of files) await writeFile(join(home, name), "text");

    await removePartial(join(home, "cluster"));
    assert.deepEqual((await readdir(home)).sort(), ["cluster", ...kept, ...files].sort());
  });
});
