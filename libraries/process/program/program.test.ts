import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type StartOptions, startNode, startProcess } from "../testing/index.ts";

const imports =
  'import { exitOnWrongUsage, readSettings, rows, runProgram } from "@stowage/process";';

function textOf(main: string): string {
  return `${imports} await runProgram("try", async ({ signal }) => { ${main} });`;
}

function start(main: string, options: StartOptions = {}) {
  return startNode(["--input-type=module-typescript", "--eval", textOf(main)], {
    cwd: import.meta.dirname,
    ...options,
  });
}

/** @param output where its output goes, in the syntax of a shell. */
function startInShell(main: string, output: string) {
  const command = `"$0" --input-type=module-typescript --eval "$1" ${output}`;
  return startProcess("/bin/bash", ["-c", command, process.execPath, textOf(main)], {
    cwd: import.meta.dirname,
  });
}

const runUntilStopped =
  'await new Promise((resolve) => { signal.addEventListener("abort", resolve);' +
  ' setInterval(() => {}, 1000); console.log("ready"); });';

describe("runProgram()", () => {
  it("ends with 0 when main returns, whatever is still open", async () => {
    const { exitCode, stderr } = await start("setInterval(() => {}, 1000);").ended;
    assert.deepEqual([exitCode, stderr], [0, ""]);
  });

  it("ends with 2 for wrong settings, and reports them all", async () => {
    const main = 'readSettings({ PORT: rows.port(1), URL: rows.url("X.") }, { PORT: "x" })';
    const { exitCode, stderr } = await start(main).ended;
    assert.equal(exitCode, 2);
    assert.match(stderr, /^try: Cannot read the settings:\n {2}PORT: .*\n {2}URL: .*\n$/);
  });

  it("ends with 1 for any other error, reported in one line", async () => {
    const main = 'throw new Error("Cannot start", { cause: new Error("no room") })';
    const { exitCode, stderr } = await start(main, { env: { LOG_LEVEL: "info" } }).ended;
    assert.deepEqual([exitCode, stderr], [1, "try: Cannot start: no room\n"]);
  });

  it("reports errors without control characters: others may have chosen the text", async () => {
    const cause = String.raw`{ cause: new Error("\u202eb\r") }`;
    const main = String.raw`throw new Error("Cannot list \u001b[2Ja\n", ${cause})`;
    const { stderr } = await start(main, { env: { LOG_LEVEL: "info" } }).ended;
    assert.equal(stderr, "try: Cannot list \\u{1b}[2Ja\\n: \\u{202e}b\\r\n");
  });

  it("adds the stack when debugging", async () => {
    const main = 'throw new Error("Cannot start")';
    const { stderr } = await start(main, { env: { LOG_LEVEL: "debug" } }).ended;
    assert.match(stderr, /^try: Cannot start\nError: Cannot start\n {4}at /);
  });

  for (const statement of [
    'setTimeout(() => { throw new Error("lost"); });',
    'void Promise.reject(new Error("lost"));',
  ]) {
    it(`ends with 1 for an uncaught error: ${statement}`, async () => {
      const { exitCode, stderr } = await start(`${statement} ${runUntilStopped}`).ended;
      assert.deepEqual([exitCode, stderr], [1, "try: lost\n"]);
    });
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`ends with 0 when main returns after ${signal}`, async () => {
      const program = start(`${runUntilStopped} console.log("finished");`);
      await program.line(/ready/);
      program.kill(signal);
      const { exitCode, stdout } = await program.ended;
      assert.deepEqual([exitCode, stdout], [0, "ready\nfinished\n"]);
    });
  }

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    it(`ends with ${code}, quietly, when ${signal} cut main short`, async () => {
      const program = start(`${runUntilStopped} signal.throwIfAborted();`);
      await program.line(/ready/);
      program.kill(signal);
      const { exitCode, stderr } = await program.ended;
      assert.deepEqual([exitCode, stderr], [code, ""]);
    });

    it(`ends at once with ${code} on a second signal`, async () => {
      const clock = "let nowMs = 0; performance.now = () => (nowMs += 500);";
      const program = start(
        `${clock} ${runUntilStopped} console.log("stopping"); await new Promise(() => {});`,
      );
      await program.line(/ready/);
      program.kill("SIGINT");
      await program.line(/stopping/);
      program.kill(signal);
      assert.equal((await program.ended).exitCode, code);
    });
  }

  it("counts a signal once that the terminal has sent and npm forwards", async () => {
    const second = 'new Promise((resolve) => process.once("SIGINT", resolve))';
    const program = start(
      `performance.now = () => 0; ${runUntilStopped} const forwarded = ${second};` +
        ' console.log("stopping"); await forwarded;',
    );
    await program.line(/ready/);
    program.kill("SIGINT");
    await program.line(/stopping/);
    program.kill("SIGINT");
    assert.equal((await program.ended).exitCode, 0);
  });

  it("still reports an error that happens while stopping", async () => {
    const program = start(`${runUntilStopped} throw new Error("Cannot close");`);
    await program.line(/ready/);
    program.kill("SIGTERM");
    const { exitCode, stderr } = await program.ended;
    assert.deepEqual([exitCode, stderr], [1, "try: Cannot close\n"]);
  });

  for (const main of [
    'console.log("all")',
    'const { Command } = await import("commander"); const command = new Command("try");' +
      ' exitOnWrongUsage(command); await command.parseAsync(["--help"], { from: "user" });',
  ]) {
    it(`ends with 1 if its output cannot be written: ${main}`, async () => {
      const { exitCode, stderr } = await startInShell(main, "> /dev/full").ended;
      const reason = "ENOSPC: no space left on device, write";
      assert.deepEqual([exitCode, stderr], [1, `try: Cannot write the output: ${reason}\n`]);
    });
  }

  it("stops gracefully when its output cannot be written", async () => {
    const main =
      'console.log("line"); await new Promise((resolve) => { signal.addEventListener("abort",' +
      ' resolve); setInterval(() => {}, 1000); }); process.stderr.write("closed\\n");' +
      " signal.throwIfAborted();";
    const { exitCode, stderr } = await startInShell(main, "> /dev/full").ended;
    assert.equal(exitCode, 1);
    assert.match(stderr, /^closed\ntry: Cannot write the output: ENOSPC/);
  });

  it("stops gracefully when its output is closed", async () => {
    const main =
      'const t = setInterval(() => console.log("line"), 1); await new Promise((resolve) =>' +
      ' signal.addEventListener("abort", resolve)); clearInterval(t);' +
      ' process.stderr.write("closed"); signal.throwIfAborted();';
    const pipe = '| head -n 1; echo "$PIPESTATUS"';
    const { stdout, stderr } = await startInShell(main, pipe).ended;
    assert.deepEqual([stdout, stderr], ["line\n141\n", "closed"]);
  });
});
