import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { dependencyProblems, versionProblems } from "./dependencies.ts";
import { repositoryFiles } from "./repository.ts";

function packageFile(folder: string, content: object) {
  return { path: `${folder}/package.json`, text: JSON.stringify({ name: folder, ...content }) };
}

const pgCode = { path: "a/pool.ts", text: 'import pg from "pg";' };
const pgTest = { path: "a/pool.test.ts", text: 'import pg from "pg";' };

describe("package.json files", () => {
  it("declare what is imported, and nothing else", () => {
    assertNoProblems(dependencyProblems(repositoryFiles()));
  });

  it("name exact versions, the same in every package", () => {
    assertNoProblems(versionProblems(repositoryFiles()));
  });
});

describe("dependencyProblems()", () => {
  it("finds an import that is not declared", () => {
    assert.deepEqual(dependencyProblems([packageFile("a", {}), pgCode]), [
      "a: imports pg, which is not in dependencies",
    ]);
    assert.deepEqual(dependencyProblems([packageFile("a", {}), pgTest]), [
      "a: tests import pg, which is not in devDependencies",
    ]);
  });

  it("finds a dependency that nothing imports", () => {
    const unused = packageFile("a", { dependencies: { pg: "8.0.0", "@types/pg": "8.0.0" } });
    assert.deepEqual(dependencyProblems([unused]), [
      "a: declares pg, which nothing imports",
      "a: declares @types/pg, which nothing imports",
    ]);
  });

  it("finds a dependency in the wrong list", () => {
    const development = packageFile("a", { devDependencies: { pg: "8.0.0" } });
    assert.deepEqual(dependencyProblems([development, pgCode]), [
      "a: imports pg, which is not in dependencies",
    ]);
    const program = packageFile("a", { dependencies: { pg: "8.0.0" } });
    assert.deepEqual(dependencyProblems([program, pgTest]), [
      "a: has pg in dependencies, which only tests and tools use",
    ]);
    assert.deepEqual(dependencyProblems([program, pgCode, pgTest]), []);
    const tool = packageFile("a", { dependencies: { "@bufbuild/buf": "1.0.0" } });
    assert.deepEqual(dependencyProblems([tool]), [
      "a: has @bufbuild/buf in dependencies, which only tests and tools use",
    ]);
  });

  it("takes a peer for declared, and wants it for the tests too", () => {
    const library = { peerDependencies: { pg: "^8.0.0" }, devDependencies: { pg: "8.0.0" } };
    assert.deepEqual(dependencyProblems([packageFile("a", library), pgCode, pgTest]), []);
    assert.deepEqual(dependencyProblems([packageFile("a", library)]), [
      "a: declares pg, which nothing imports",
    ]);
    const untested = packageFile("a", { peerDependencies: library.peerDependencies });
    assert.deepEqual(dependencyProblems([untested, pgCode]), [
      "a: has pg in peerDependencies, but not for its tests in devDependencies",
    ]);
  });
});

describe("versionProblems()", () => {
  const ranges = ["^1.2.3", "~1.2.3", "1.2", "1.x", "*", "latest", ">=1.2.3", "file:../b"];
  for (const version of [...ranges, "npm:pg", "npm:pg@^1.2.3"]) {
    it(`refuses ${version}`, () => {
      const [problem] = versionProblems([packageFile("a", { dependencies: { pg: version } })]);
      assert.equal(problem, `a: pg is ${version}, need one exact version`);
    });
  }

  it("lets a package go by another name", () => {
    const alias = packageFile("a", { devDependencies: { "pg-7": "npm:pg@7.18.2", pg: "8.0.0" } });
    assert.deepEqual(versionProblems([alias]), []);
  });

  it("lets a peer be of several versions", () => {
    const library = packageFile("a", { peerDependencies: { pg: "8.x" } });
    assert.deepEqual(versionProblems([library]), []);
  });

  it("refuses two versions of one package", () => {
    const a = packageFile("a", { dependencies: { pg: "8.0.0-beta.1" } });
    const b = packageFile("b", { optionalDependencies: { pg: "8.0.0" } });
    assert.deepEqual(versionProblems([a, b]), ["b: pg is 8.0.0, elsewhere 8.0.0-beta.1"]);
  });

  it("refuses a version of our own package that it does not have", () => {
    const a = packageFile("a", { dependencies: { b: "1.0.0" } });
    const b = packageFile("b", { version: "1.1.0" });
    assert.deepEqual(versionProblems([a, b]), ["a: b is 1.0.0, elsewhere 1.1.0"]);
  });
});
