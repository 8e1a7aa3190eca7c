/** Every benchmark on little data for a short time: whether it works, not how fast. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  cephIsMissing,
  makeTemporaryFolder,
  startNode,
  type TemporaryFolder,
  until,
} from "@stowage/process/testing";
import { processesWith, root } from "../testing/programs.ts";

describe("the benchmarks", () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  const start = (...parameters: string[]) =>
    startNode(["checks/bench/main.ts", ...parameters], { cwd: root });
  const data = () => ["--rows", "2000", "--seconds", "1", "--data", folder.path];

  const runs: readonly [name: string, parameters: string[], rows: number, goals: number][] = [
    ["lists", [], 63, 63],
    ["lists", ["--against", root], 38, 28],
    ["search", [], 42, 21],
    ["trees", [], 8, 7],
  ];
  for (const [name, parameters, rows, goals] of runs) {
    it(`${name} ${parameters[0] ?? ""}: every figure, and whether it is good enough`, async () => {
      const { exitCode, stdout, stderr } = await start(name, ...data(), ...parameters).ended;
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /2,000 uploads in/);
      assert.equal([...stdout.matchAll(figure)].length, rows, stdout);
      assert.equal([...stdout.matchAll(/ (?:pass|MISS) \|$/gm)].length, goals, stdout);
    });
  }
  const figure = /^\| .+ \| (?:calls\/s|ms|MiB|µs CPU|count) +\|.*\d/gm;

  it("tokens: every validator in every setting, and every grant", async () => {
    const { exitCode, stdout, stderr } = await start("tokens", "--seconds", "1").ended;
    assert.equal(exitCode, 0, stderr);
    assert.equal([...stdout.matchAll(figure)].length, 34, stdout);
  });

  it("import: lines, a directory and a bucket, first and unchanged, beside COPY", async () => {
    const sizes = ["--uploads", "200", "--files", "200", "--objects", "300"];
    const { exitCode, stdout, stderr } = await start("import", ...sizes).ended;
    assert.equal(exitCode, 0, stderr);
    const rows = [...stdout.matchAll(/^\| (?:200 lines|a directory|a bucket) .*\d.*\|$/gm)];
    assert.equal(rows.length, cephIsMissing ? 7 : 11, stdout);
  });

  it("end all that they started when they are asked to end", async () => {
    const running = () => processesWith(folder.path);
    const before = await running();
    const program = start("lists", ...data(), "--seconds", "600");
    await until("the database runs", async () =>
      (await running()).some(({ commandLine }) => commandLine.includes("postgres")),
    );
    program.kill("SIGTERM");
    const { exitCode, stderr } = await program.ended;
    assert.equal(exitCode, 128 + 15, stderr);
    assert.deepEqual(await running(), before);
  });
});
