/**
 * What `npm test` runs: every test on a throw-away PostgreSQL that npm installed, then those that
 * depend on the version of PostgreSQL again on the system's own, if one is installed.
 *
 * `npm test -- services/uploads` runs the files with that in their path; options
 * (`--test-name-pattern=…`) go to Node's test runner.
 */
import { spawn } from "node:child_process";
import { glob } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type ProgramContext, runProgram } from "@stowage/process";
import { findSystemPostgres, makeTemporaryFolder, startTestServer } from "@stowage/process/testing";
import { dependsOnVersion } from "./version-dependent.ts";

async function runTests({ signal }: ProgramContext): Promise<void> {
  const given = process.argv.slice(2);
  const filters = given.filter((argument) => !argument.startsWith("-"));
  const runnerOptions = given.filter((argument) => argument.startsWith("-"));
  const files = await findTests(filters);
  if (files.length === 0) throw new Error(`Cannot find a test file with ${filters.join(" or ")}`);

  const first = await runOn(undefined, files, runnerOptions, signal);
  const second = await runAgain(files, runnerOptions, signal);
  process.stdout.write(`\ntests: ${first.note}\ntests: ${second.note}\n`);
  if (!first.passed || !second.passed) throw new Error("not everything passed");
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
  const again = files.filter(dependsOnVersion);
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

/** Runs test files on a new server of their own. */
async function runOn(
  bin: string | undefined,
  files: readonly string[],
  runnerOptions: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  const server = await startTestServer(bin === undefined ? {} : { bin });
  const temporary = await makeTemporaryFolder();
  try {
    const label = bin === undefined ? `embedded ${server.major}` : `system ${server.major}`;
    const environment = {
      ...withoutSettings(process.env),
      TEST_DATABASE_URL: server.databaseUrl,
      TEST_POSTGRES: label,
      // Tests that are killed leave files there, and servers. Both end with the folder.
      TMPDIR: temporary.path,
      // Most of a process's start is compiling TypeScript. Tests start hundreds of processes. The
      // cache is not in the temporary folder: a process that ends later would make that again.
      NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled-tests"),
    };
    process.stdout.write(`tests: running on PostgreSQL (${label})\n`);
    const testArguments = ["--test", ...testOptions, ...runnerOptions, ...files];
    const passed = await runNode(testArguments, environment, signal);
    signal.throwIfAborted();
    const count = files.length === 1 ? "1 file" : `${files.length} files`;
    return { passed, note: `${count} on PostgreSQL (${label}) ${passed ? "passed" : "FAILED"}` };
  } finally {
    await temporary.remove();
    await server.stop();
  }
}

const testOptions = [
  "--test-reporter=spec",
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
