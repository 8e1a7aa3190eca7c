import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoFaults } from "./assert-no-faults.ts";
import { dependencyFaults, versionFaults } from "./dependencies.ts";
import { repositoryFiles } from "./repository.ts";

function packageFile(folder: string, content: object) {
  return { path: `${folder}/package.json`, text: JSON.stringify({ name: folder, ...content }) };
}

const pgCode = { path: "a/pool.ts", text: 'import pg from "pg";' };
const pgTest = { path: "a/pool.test.ts", text: 'import pg from "pg";' };

describe("package.json files", () => {
  it("declare what is imported, and nothing else", () => {
    assertNoFaults(dependencyFaults(repositoryFiles()));
  });

  it("name exact versions, the same in every package", () => {
    assertNoFaults(versionFaults(repositoryFiles()));
  });
});

describe("dependencyFaults()", () => {
  it("finds an import that is not declared", () => {
    assert.deepEqual(dependencyFaults([packageFile("a", {}), pgCode]), [
      "a: imports pg, which is not in dependencies",
    ]);
    assert.deepEqual(dependencyFaults([packageFile("a", {}), pgTest]), [
      "a: tests import pg, which is not in devDependencies",
    ]);
  });

  it("finds a dependency that nothing imports", () => {
    const unused = packageFile("a", { dependencies: { pg: "8.0.0", "@types/pg": "8.0.0" } });
    assert.deepEqual(dependencyFaults([unused]), [
      "a: declares pg, which nothing imports",
      "a: declares @types/pg, which nothing imports",
    ]);
  });

  it("finds a dependency in the wrong list", () => {
    const development = packageFile("a", { devDependencies: { pg: "8.0.0" } });
    assert.deepEqual(dependencyFaults([development, pgCode]), [
      "a: imports pg, which is not in dependencies",
    ]);
    const program = packageFile("a", { dependencies: { pg: "8.0.0" } });
    assert.deepEqual(dependencyFaults([program, pgTest]), [
      "a: has pg in dependencies, which only tests import",
    ]);
    assert.deepEqual(dependencyFaults([program, pgCode, pgTest]), []);
  });

  it("takes a peer for declared, and wants it for the tests too", () => {
    const library = { peerDependencies: { pg: "^8.0.0" }, devDependencies: { pg: "8.0.0" } };
    assert.deepEqual(dependencyFaults([packageFile("a", library), pgCode, pgTest]), []);
    assert.deepEqual(dependencyFaults([packageFile("a", library)]), [
      "a: declares pg, which nothing imports",
    ]);
    const untested = packageFile("a", { peerDependencies: library.peerDependencies });
    assert.deepEqual(dependencyFaults([untested, pgCode]), [
      "a: has pg in peerDependencies, but not for its tests in devDependencies",
    ]);
  });
});

describe("versionFaults()", () => {
  const ranges = ["^1.2.3", "~1.2.3", "1.2", "1.x", "*", "latest", ">=1.2.3", "file:../b"];
  for (const version of [...ranges, "npm:pg", "npm:pg@^1.2.3"]) {
    it(`refuses ${version}`, () => {
      const [fault] = versionFaults([packageFile("a", { dependencies: { pg: version } })]);
      assert.equal(fault, `a: pg is ${version}, need one exact version`);
    });
  }

  it("lets a package go by another name", () => {
    const alias = packageFile("a", { devDependencies: { "pg-7": "npm:pg@7.18.2", pg: "8.0.0" } });
    assert.deepEqual(versionFaults([alias]), []);
  });

  it("lets a peer be of several versions", () => {
    const library = packageFile("a", { peerDependencies: { pg: "8.x" } });
    assert.deepEqual(versionFaults([library]), []);
  });

  it("refuses two versions of one package", () => {
    const a = packageFile("a", { dependencies: { pg: "8.0.0-beta.1" } });
    const b = packageFile("b", { optionalDependencies: { pg: "8.0.0" } });
    assert.deepEqual(versionFaults([a, b]), ["b: pg is 8.0.0, elsewhere 8.0.0-beta.1"]);
  });

  it("refuses a version of our own package that it does not have", () => {
    const a = packageFile("a", { dependencies: { b: "1.0.0" } });
    const b = packageFile("b", { version: "1.1.0" });
    assert.deepEqual(versionFaults([a, b]), ["a: b is 1.0.0, elsewhere 1.1.0"]);
  });
});
