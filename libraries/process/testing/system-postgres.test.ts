import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { findSystemPostgres } from "./system-postgres.ts";

it("findSystemPostgres() skips incomplete installations", async (test) => {
  const folder = await mkdtemp(join(tmpdir(), "stowage-bin-"));
  test.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "broken"));
  for (const name of ["initdb", "pg_ctl", "postgres"]) {
    await symlink("/bin/true", join(folder, "broken", name));
  }
  const withoutPath = await findSystemPostgres("");
  assert.deepEqual(
    await findSystemPostgres(`relative:${folder}/none:${folder}/broken`),
    withoutPath,
  );
  if (withoutPath) assert.ok(Number(withoutPath.major) >= 15);
});
