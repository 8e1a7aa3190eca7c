import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  makeTemporaryFolder,
  startNode,
  type TemporaryFolder,
  until,
} from "@stowage/process/testing";
import { processesWith, root } from "../testing/programs.ts";

/** Small data for a short time: whether it works, not how fast. */
describe("the benchmarks of the uploads service", () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  const start = (...parameters: string[]) =>
    startNode(["checks/bench/main.ts", ...parameters, "--data", folder.path], { cwd: root });

  const runs: readonly [name: string, parameters: string[], rows: number, goals: number][] = [
    ["lists", [], 66, 66],
    ["lists", ["--against", root], 38, 28],
    ["search", [], 22, 11],
    ["trees", [], 12, 11],
    ["neighbours", [], 24, 15],
  ];
  for (const [name, parameters, rows, goals] of runs) {
    it(`${name} ${parameters[0] ?? ""}: every figure, and whether it is good enough`, async () => {
      const { exitCode, stdout, stderr } = await start(
        ...[name, "--rows", "2000", "--seconds", "1", ...parameters],
      ).ended;
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /2,000 uploads in 540 folders/);
      assert.equal(
        [...stdout.matchAll(/^\| .+ \| (?:calls\/s|ms|MiB|µs CPU|count) +\|.*\d/gm)].length,
        rows,
        stdout,
      );
      assert.equal([...stdout.matchAll(/ (?:pass|MISS) \|$/gm)].length, goals, stdout);
    });
  }

  it("ends all that it started when it is asked to end", async () => {
    const running = () => processesWith(folder.path);
    const before = await running();
    const program = start("lists", "--rows", "2000", "--seconds", "600");
    await until("the database runs", async () =>
      (await running()).some(({ commandLine }) => commandLine.includes("postgres")),
    );
    program.kill("SIGTERM");
    const { exitCode, stderr } = await program.ended;
    assert.equal(exitCode, 128 + 15, stderr);
    assert.deepEqual(await running(), before);
  });

  for (const [option, value, message] of [
    ["--rows", "10", /Need a whole number from 200 to/],
    ["--rows", "1e6.5", /Need a whole number from 200 to/],
    ["--paths", "no/such/file", /Cannot read no\/such\/file/],
  ] as const) {
    it(`refuses ${option} ${value}`, async () => {
      const { exitCode, stdout, stderr } = await start("lists", option, value).ended;
      assert.notEqual(exitCode, 0);
      assert.equal(stdout, "");
      assert.match(stderr, message);
    });
  }
});
