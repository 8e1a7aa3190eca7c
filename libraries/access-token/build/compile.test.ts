import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compile } from "./compile.ts";

/** Compiles these files as the package and gives what comes out, by name. */
async function compiled(files: Record<string, string>): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "stowage-compiled-"));
  const output = join(folder, "output");
  const project = {
    extends: join(import.meta.dirname, "tsconfig.json"),
    compilerOptions: { rootDir: "." },
    include: ["*.ts"],
  };
  try {
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await compile(folder, output);
    const names = await readdir(output);
    const texts = names.map(async (name) => [name, await readFile(join(output, name), "utf8")]);
    return Object.fromEntries(await Promise.all(texts));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("compile()", () => {
  it("gives JavaScript and types", async () => {
    const output = await compiled({
      "index.ts": 'export { one } from "./one.ts";\nexport type { Two } from "./two.ts";\n',
      "one.ts": "export const one: number = 1;\n",
      "two.ts": 'export interface Two { three: import("./three.ts").Three }\n',
      "three.ts": "export type Three = 3;\n",
    });
    const modules = ["index", "one", "three", "two"];
    const names = modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`]);
    assert.deepEqual(Object.keys(output).sort(), names);
    assert.equal(output["index.js"], 'export { one } from "./one.js";\n');
    assert.match(output["index.d.ts"] ?? "", / from "\.\/one\.js";\n.* from "\.\/two\.js";\n$/);
    assert.match(output["two.d.ts"] ?? "", /import\("\.\/three\.js"\)/);
  });

  it("takes what Node 22 has", async () => {
    const program = 'export const set = new Set("a").union(new Set("b"));\n';
    assert.equal((await compiled({ "index.ts": program }))["index.js"], program);
  });

  for (const [what, program, fault] of [
    ["newer parts of the language", 'export const text = RegExp.escape("a");', "'escape' does not"],
    ["newer parts of Node", 'export { registerHooks } from "node:module";', "'registerHooks'"],
    ["wrong types", 'export const number: number = "a";', "'string' is not assignable"],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const message = new RegExp(`^Cannot compile:\n.*/index\\.ts\\(1,.*${fault}.*\n$`);
      await assert.rejects(compiled({ "index.ts": program }), { message });
    });
  }
});
