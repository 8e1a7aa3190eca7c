import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "./repository.ts";

describe("generated files", () => {
  let fresh: string;
  before(async () => {
    fresh = await mkdtemp(join(tmpdir(), "stowage-generated-"));
    for (const template of ["buf.gen.yaml", "buf.gen.openapi.yaml"]) generate(template, fresh);
  });
  after(() => rm(fresh, { recursive: true }));

  for (const folder of ["api/generated", "api/openapi.json"]) {
    it(`in ${folder} are current`, async () => {
      const [now, wanted] = await Promise.all([read(root, folder), read(fresh, folder)]);
      const paths = new Set([...now.keys(), ...wanted.keys()]);
      const stale = Array.from(paths).filter((path) => now.get(path) !== wanted.get(path));
      assert.deepEqual(stale, [], "run `npm run generate`");
    });
  }
});

function generate(template: string, output: string): void {
  const programs = join(root, "node_modules", ".bin");
  execFileSync(join(programs, "buf"), ["generate", "--template", template, "--output", output], {
    cwd: root,
    // buf finds its plugins and `node` on the path. Without npm it would find another `node`.
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** The text of every file in a folder, or of one file, by path. */
async function read(base: string, path: string): Promise<ReadonlyMap<string, string>> {
  if (path.endsWith(".json")) return new Map([[path, await readFile(join(base, path), "utf8")]]);
  const entries = await readdir(join(base, path), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => {
    const file = join(parentPath, name);
    return [file.slice(base.length + 1), await readFile(file, "utf8")] as const;
  });
  return new Map(await Promise.all(texts));
}
