import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { chooseDirectory, hiddenIn } from "./fill-index.ts";

/** Root can read everything, so this acts as another user then. */
async function asUser<Result>(action: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await action();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

it("finds hidden folders beside unreadable and excluded ones", async () => {
  const root = await mkdtemp(join(tmpdir(), "stowage-hidden-"));
  const locked = join(root, "locked");
  try {
    for (const path of [".git", "a/node_modules", "data/node_modules", "locked/node_modules"]) {
      await mkdir(join(root, path), { recursive: true });
    }
    await chmod(root, 0o755);
    await chmod(locked, 0);
    const found = await asUser(() => hiddenIn(root, ["data"]));
    assert.deepEqual(found, [".git", "a/node_modules"]);
  } finally {
    await chmod(locked, 0o700);
    await rm(root, { recursive: true });
  }
});

it("says in words that the given directory does not exist", async () => {
  for (const path of ["/nope", join(import.meta.filename, "nope")]) {
    await assert.rejects(chooseDirectory(path, "/data"), {
      message: `Cannot index ${path}: there is no directory ${path}`,
    });
  }
});
