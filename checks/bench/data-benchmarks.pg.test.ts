import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeTemporaryFolder, startNode, type TemporaryFolder } from "@stowage/process/testing";
import { processesWith, root } from "../testing/programs.ts";
import { until } from "../testing/until.ts";

/** Small data for a short time: whether it works, not how fast. */
describe("the benchmarks of the uploads service", () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  const start = (...parameters: string[]) =>
    startNode(["checks/bench/main.ts", ...parameters, "--data", folder.path], { cwd: root });
  const bench = (...parameters: string[]) => start(...parameters).ended;

  async function measured(name: string, ...further: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await bench(name, "--rows", "2000", ...further);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /2,000 uploads in 540 folders/);
    return stdout;
  }

  const rowsOf = (stdout: string, form: RegExp) => [...stdout.matchAll(form)].length;

  it("lists: everyone at every number of connections, and every sort", async () => {
    const stdout = await measured("lists", "--seconds", "1", "--beside", "500");
    for (const who of ["service", "floor", "plain"]) {
      assert.equal(rowsOf(stdout, new RegExp(`^\\| +\\d+ \\| ${who} +\\|`, "gm")), 3, who);
    }
    const sorts = /^\| (?:bucket|folder|subtree) +\| \w+ +\| (?:asc|desc) +\|/gm;
    assert.equal(rowsOf(stdout, sorts), 30);
    assert.match(stdout, /time of the same in 500 \|$/m);
    assert.equal(rowsOf(stdout, /^\| .+ \| (?:pass|MISS) \| .*\d/gm), 11, stdout);
  });

  it("search: all terms, the slowest of them, and how much they find", async () => {
    const stdout = await measured("search", "--seconds", "2");
    assert.match(stdout, /^\| `\*\.pdf` +\| ends so +\| +\d,\d{3} \| /m, stdout);
    assert.match(stdout, /^\| `qqqq` +\| absent +\| +0 \| /m, stdout);
    assert.match(stdout, /\*\*The slowest lists\*\*/);
    assert.match(stdout, /step over 20,000 index entries: \d.+ ms\./);
    assert.match(stdout, /\| \d[^|]+ × the yardstick; the median is .+ × \|/);
    assert.equal(rowsOf(stdout, /^\| .+ \| (?:pass|MISS) \| .*\d/gm), 1, stdout);
  });

  it("trees: of folders and of uploads, and lists while they stream", async () => {
    const stdout = await measured("trees", "--seconds", "2");
    assert.equal(rowsOf(stdout, /^\| folders(?: and uploads)? +\|/gm), 2);
    assert.equal(rowsOf(stdout, /^\| +[18] \| .*streams? +\|/gm), 6, stdout);
    assert.equal(rowsOf(stdout, /^\| .+ \| (?:pass|MISS) \| .*\d/gm), 9, stdout);
  });

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
      const { exitCode, stdout, stderr } = await bench("lists", option, value);
      assert.notEqual(exitCode, 0);
      assert.equal(stdout, "");
      assert.match(stderr, message);
    });
  }
});
