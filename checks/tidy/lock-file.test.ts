import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { lockProblems } from "./lock-file.ts";
import { repositoryFiles } from "./repository.ts";

function lockOf(packages: object) {
  return [{ path: "package-lock.json", text: JSON.stringify({ packages }) }];
}

describe("package-lock.json", () => {
  it("has every package that another one names, and package.json allows its scripts", () => {
    assertNoProblems(lockProblems(repositoryFiles()));
  });

  it("has no tool of the checks in an installation without development", () => {
    const lock = repositoryFiles().find(({ path }) => path === "package-lock.json");
    const { packages } = JSON.parse(lock?.text ?? "");
    const tools = ["@biomejs/biome", "@bufbuild/buf", "fast-check", "playwright-core"];
    for (const name of tools) assert.equal(packages[`node_modules/${name}`].dev, true, name);
  });

  it("may hold a package at the top or inside another one", () => {
    const packages = {
      "": { dependencies: { "@a/b": "1.0.0" } },
      "node_modules/@a/b": { dependencies: { c: "^1.0.0" } },
      "node_modules/@a/b/node_modules/c": {},
    };
    assert.deepEqual(lockProblems(lockOf(packages)), []);
  });

  it("may not lack one, optional ones for other platforms included", () => {
    const packages = { "node_modules/a": { optionalDependencies: { "a-win32": "1.0.0" } } };
    assert.deepEqual(lockProblems(lockOf(packages)), [
      "package-lock.json: node_modules/a needs a-win32, which is not in it",
    ]);
  });

  it("has no package with an install script that package.json does not allow by name", () => {
    const packages = {
      "node_modules/a": { hasInstallScript: true },
      "node_modules/b/node_modules/@c/d": { hasInstallScript: true },
    };
    const text = JSON.stringify({ allowScripts: { a: true, e: true } });
    assert.deepEqual(lockProblems([...lockOf(packages), { path: "package.json", text }]), [
      "package.json: @c/d has an install script, need it in allowScripts",
      "package.json: allowScripts names e, which has no install script",
    ]);
  });
});
