/**
 * What `npm test` runs: the tests on a throw-away PostgreSQL that npm installed, then those that
 * depend on the version of PostgreSQL again on the system's own, if one is installed. With `ALL=1`,
 * as `npm run test:all` sets it, also the nightly ones, `*.nightly.*`, which take long.
 *
 * `npm test -- services/uploads` runs the files with that in their path; options
 * (`--test-name-pattern=…`) go to Node's test runner.
 */
import { spawn } from "node:child_process";
import { glob } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type ProgramContext, runProgram } from "@stowage/process";
import { findSystemPostgres } from "@stowage/process/testing";
import { startSharedServers } from "./testing/shared-servers.ts";
import { dependsOnVersion } from "./version-dependent.ts";

const everything = process.env.ALL === "1";

async function runTests({ signal }: ProgramContext): Promise<void> {
  const given = process.argv.slice(2);
  const filters = given.filter((argument) => !argument.startsWith("-"));
  const runnerOptions = given.filter((argument) => argument.startsWith("-"));
  const found = await findTests(filters);
  const files = found.filter((file) => everything || !file.includes(".nightly."));
  const left = found.length - files.length;
  if (files.length === 0) {
    const advice =
      left === 0 ? "" : " among the daily ones: npm run test:all also runs the nightly";
    throw new Error(`Cannot find a test file with ${filters.join(" or ")}${advice}`);
  }

  const first = await runOn(undefined, files, runnerOptions, signal);
  const second = await runAgain(files, runnerOptions, signal);
  const notes = [first.note, second.note];
  if (left > 0) notes.push(`left out ${countFiles(left)} that npm run test:all also runs`);
  process.stdout.write(
    notes
      .map((note) => `\ntests: ${note}`)
      .join("")
      .concat("\n"),
  );
  if (!first.passed || !second.passed) throw new Error("not everything passed");
}

function countFiles(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

interface Outcome {
  readonly passed: boolean;
  readonly note: string;
}

async function runAgain(
  files: readonly string[],
  runnerOptions: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  const again = files.filter((file) => dependsOnVersion(file, everything));
  if (again.length === 0) {
    return {
      passed: true,
      note: "none of these files depends on the version of PostgreSQL: nothing ran again",
    };
  }
  const system = await findSystemPostgres();
  if (system === undefined) {
    const reason = "no PostgreSQL 15 or newer is installed on this system";
    return { passed: true, note: `SKIPPED the second run: ${reason}` };
  }
  return await runOn(system.bin, again, runnerOptions, signal);
}

const root = dirname(import.meta.dirname);

async function findTests(filters: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  const pattern = "{api,libraries,services,clients,checks}/**/*.test.ts";
  for await (const file of glob(pattern, { cwd: root, exclude: ["**/node_modules"] })) {
    if (filters.length === 0 || filters.some((filter) => file.includes(filter))) files.push(file);
  }
  return files.sort();
}

async function runOn(
  bin: string | undefined,
  files: readonly string[],
  runnerOptions: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  await using servers = await startSharedServers(
    bin,
    files.map((file) => join(root, file)),
  );
  const { label } = servers;
  const environment = {
    ...withoutSettings(process.env),
    ...servers.environment,
    // Most of a process's start is compiling TypeScript. Tests start hundreds of processes. The
    // cache is not in the temporary folder: a process that ends later would make that again.
    NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled-tests"),
  };
  process.stdout.write(`tests: running on PostgreSQL (${label})\n`);
  const testArguments = ["--test", ...testOptions, ...runnerOptions, ...files];
  const passed = await runNode(testArguments, environment, signal);
  signal.throwIfAborted();
  const count = countFiles(files.length);
  return { passed, note: `${count} on PostgreSQL (${label}) ${passed ? "passed" : "FAILED"}` };
}

const reporters = ["spec", "./checks/slowest-files.ts"];

const testOptions = [
  ...reporters.flatMap((name) => [`--test-reporter=${name}`, "--test-reporter-destination=stdout"]),
  // Tests mostly wait for the database and for the processes that they start.
  `--test-concurrency=${availableParallelism()}`,
  "--test-timeout=600000",
];

/** Tests set every setting themselves. They must never use a developer's own database. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings =
    /^(PG.*|(TEST_)?DATABASE_URL|DATA_DIR|HOST|PORT|(AUTH|BASE)_URL|AUDIENCE|KEY_.*|LOG_LEVEL)$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !settings.test(name)));
}

async function runNode(
  arguments_: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, arguments_, { cwd: root, env, stdio: "inherit" });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject).once("close", (code) => resolve(code === 0));
    });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

await runProgram("tests", runTests);
