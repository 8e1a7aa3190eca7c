import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { publishedManifest } from "./published-manifest.ts";

const source = {
  name: "a",
  version: "1.2.3",
  private: true,
  license: "Apache-2.0",
  type: "module",
  exports: { ".": "./src/index.ts", "./b": "./src/inner/b.ts" },
  scripts: { build: "true" },
  devDependencies: { c: "1.0.0" },
  peerDependencies: { d: "^1.0.0" },
  peerDependenciesMeta: { d: { optional: true } },
};

describe("publishedManifest()", () => {
  it("leads to JavaScript and types, and leaves out what only the repository needs", () => {
    assert.deepEqual(JSON.parse(JSON.stringify(publishedManifest(source))), {
      name: "a",
      version: "1.2.3",
      license: "Apache-2.0",
      type: "module",
      peerDependencies: { d: "^1.0.0" },
      peerDependenciesMeta: { d: { optional: true } },
      engines: { node: ">=22" },
      publishConfig: { access: "public" },
      exports: {
        ".": { types: "./lib/index.d.ts", default: "./lib/index.js" },
        "./b": { types: "./lib/inner/b.d.ts", default: "./lib/inner/b.js" },
      },
    });
  });

  for (const name of ["dependencies", "optionalDependencies", "bundleDependencies", "bin"]) {
    it(`refuses ${name}`, () => {
      assert.throws(() => publishedManifest({ ...source, [name]: {} }), {
        message: `Cannot publish package.json: got ${name}, need it kept or left behind`,
      });
    });
  }

  it("refuses a peer that npm would install unasked", () => {
    for (const peerDependenciesMeta of [undefined, {}, { d: { optional: false } }]) {
      assert.throws(() => publishedManifest({ ...source, peerDependenciesMeta }), {
        message: "Cannot publish the peer d: need it to be optional",
      });
    }
  });

  it("refuses an entry point that is not built from src", () => {
    for (const file of ["./lib/b.js", "./src/../b.ts", "./src/b.d.ts", "./src/*.ts"]) {
      assert.throws(() => publishedManifest({ ...source, exports: { "./b": file } }), {
        message: `Cannot publish ./b: got ${file}, need a TypeScript file under ./src`,
      });
    }
  });
});
