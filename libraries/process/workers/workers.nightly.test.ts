import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type StartedProcess, startNode, startProcess } from "../testing/index.ts";

const path = fileURLToPath(new URL("../testing/worker-program.ts", import.meta.url));

function start(env: Record<string, string> = {}): StartedProcess {
  return startNode([path], { env: { LOG_LEVEL: "info", ...env } });
}

async function portOf(program: StartedProcess): Promise<string> {
  return (await program.line(/^ready /)).slice("ready ".length);
}

async function ask(port: string, what = "/"): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${what}`);
  return response.text();
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The workers, once all of them have answered. */
async function workerIds(program: StartedProcess, count = 2): Promise<Set<number>> {
  const port = await portOf(program);
  const answered = new Set<number>();
  await until(async () => {
    // One that is about to be gone breaks its connections.
    const answer = await ask(port).catch(() => undefined);
    if (answer !== undefined) answered.add(Number(answer));
    const running = await children(program.processId);
    return running.length === count && running.every((id) => answered.has(id));
  });
  return new Set(await children(program.processId));
}

async function children(processId: number): Promise<number[]> {
  const ids = await readFile(`/proc/${processId}/task/${processId}/children`, "utf8");
  return ids.split(" ").filter(Boolean).map(Number);
}

/** Limits the open files of a process. Those that are open stay open. */
async function limitOpenFiles(processId: number, limit: number): Promise<void> {
  const limiting = startProcess("prlimit", [`--pid=${processId}`, `--nofile=${limit}:`]);
  assert.equal((await limiting.ended).exitCode, 0);
}

async function isAlive(processId: number): Promise<boolean> {
  const status = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => undefined);
  return status !== undefined && !/\) Z /.test(status);
}

describe("superviseWorkers()", () => {
  it("has connections on one port answered by all, and says once that it does", async () => {
    const program = start({ COUNT: "3" });
    const port = await portOf(program);
    const ids = await workerIds(program, 3);
    program.kill("SIGTERM");
    const { exitCode, stdout, stderr } = await program.ended;
    assert.deepEqual([exitCode, stdout, stderr], [0, `ready ${port}\nall ended\n`, ""]);
    for (const id of ids) assert.equal(await isAlive(id), false);
  });

  for (const death of ["/exit", "/kill"]) {
    it(`replaces one that dies by ${death}, and logs it`, async () => {
      const program = start();
      const port = await portOf(program);
      const before = await workerIds(program);
      await assert.rejects(ask(port, death));
      const after = await workerIds(program);
      assert.equal(before.intersection(after).size, 1);
      program.kill("SIGINT");
      const { exitCode, stderr } = await program.ended;
      assert.equal(exitCode, 0);
      const lines = stderr.trim().split("\n");
      const [died, follows] = lines.map((line) => JSON.parse(line));
      const how = death === "/exit" ? [7, null] : [null, "SIGKILL"];
      assert.deepEqual(
        [died.msg, died.exitCode ?? null, died.signal ?? null],
        ["a worker died", ...how],
      );
      assert.equal(follows.msg, "a worker has replaced one that died");
      assert.equal(follows.level, "warn");
      assert.equal(lines.length, 2);
    });
  }

  it("kills and replaces one whose event loop hangs, and logs it", async () => {
    const program = start({ HANG_TIMEOUT_MS: "1000" });
    const port = await portOf(program);
    const before = await workerIds(program);
    await assert.rejects(ask(port, "/hang"));
    const after = await workerIds(program);
    assert.equal(before.intersection(after).size, 1);
    program.kill("SIGTERM");
    const { exitCode, stderr } = await program.ended;
    assert.equal(exitCode, 0);
    const [hangs, died] = stderr.split("\n", 2).map((line) => JSON.parse(line));
    assert.equal(hangs.msg, "killing a worker that does not respond");
    const [hung] = before.difference(after);
    assert.deepEqual([hangs.workerProcessId, died.workerProcessId], [hung, hung]);
  });

  it("kills one that hangs before it has answered anything", async () => {
    const program = start({ COUNT: "1", HANG_TIMEOUT_MS: "100", WORKERS_END: "never" });
    const { exitCode, stderr } = await program.ended;
    assert.equal(exitCode, 1);
    assert.match(stderr, /"msg":"killing a worker that does not respond"/);
    assert.match(stderr, /^try: Cannot start a worker: it ended with SIGKILL$/m);
  });

  it("replaces one when the system can start processes again", async () => {
    const program = start();
    const port = await portOf(program);
    const before = await workerIds(program);
    let hasEnded = false;
    void program.ended.then(() => (hasEnded = true));
    await limitOpenFiles(program.processId, 1);
    await assert.rejects(ask(port, "/kill"));
    const reason = /"reason":"Cannot start a worker: spawn .* EMFILE"/;
    await until(async () => hasEnded || reason.test(program.stderr()));
    assert.ok(!hasEnded, program.stderr());
    await limitOpenFiles(program.processId, 1024);
    const after = await workerIds(program);
    assert.equal(before.intersection(after).size, 1);
    program.kill("SIGTERM");
    assert.equal((await program.ended).exitCode, 0);
  });

  for (const [suspended, all] of [
    ["the primary", false],
    ["the machine", true],
  ] as const) {
    it(`kills no worker because ${suspended} was suspended`, async () => {
      const program = start({ HANG_TIMEOUT_MS: "1000" });
      const before = await workerIds(program);
      const ids = [program.processId, ...(all ? before : [])];
      for (const id of ids) process.kill(id, "SIGSTOP");
      await sleep(2000);
      for (const id of ids) process.kill(id, "SIGCONT");
      await sleep(500);
      assert.deepEqual(await workerIds(program), before);
      program.kill("SIGTERM");
      assert.equal((await program.ended).stderr, "");
    });
  }

  it("leaves signals to the primary: a worker that gets one keeps running", async () => {
    const program = start({ COUNT: "1" });
    const port = await portOf(program);
    const [id = 0] = await workerIds(program, 1);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.kill(id, signal);
    }
    assert.equal(await ask(port), `${id}`);
    program.kill("SIGTERM");
    assert.equal((await program.ended).exitCode, 0);
  });

  it("rejects when the first worker cannot start, and reports it once", async () => {
    const { exitCode, stdout, stderr } = await start({ WORKERS_END: "at the start" }).ended;
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.equal(stderr.match(/no room/g)?.length, 1);
    assert.equal(stderr, "try: Cannot start: no room\n");
  });

  for (const end of ["when ready", "at a restart"]) {
    it(`goes on restarting workers that end ${end}, ever more slowly`, async () => {
      const program = start({ COUNT: "1", WORKERS_END: end, RESTART_PAUSE_MS: "1" });
      if (end === "at a restart") await assert.rejects(ask(await portOf(program), "/exit"));
      const pauses = () =>
        Array.from(program.stderr().matchAll(/"restartInMs":(\d+)/g), ([, ms]) => Number(ms));
      let hasEnded = false;
      void program.ended.then(() => (hasEnded = true));
      await until(async () => hasEnded || pauses().length > 10);
      assert.deepEqual(pauses().slice(0, 11), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
      program.kill("SIGTERM");
      assert.equal((await program.ended).exitCode, 0);
    });
  }

  it("kills workers that do not end in time", async () => {
    const program = start({ STOP_TIMEOUT_MS: "100", IGNORES_STOP: "yes" });
    const ids = await workerIds(program);
    program.kill("SIGTERM");
    const { exitCode, stderr } = await program.ended;
    assert.equal(exitCode, 0);
    assert.match(stderr, /killing the workers that did not end in time/);
    for (const id of ids) assert.equal(await isAlive(id), false);
  });

  it("leaves no worker when a second signal ends the primary at once", async () => {
    const program = start({ IGNORES_STOP: "yes" });
    const ids = await workerIds(program);
    program.kill("SIGINT");
    await workerIds(program);
    program.kill("SIGTERM");
    assert.equal((await program.ended).exitCode, 143);
    await until(async () => {
      const alive = await Promise.all([...ids].map((id) => isAlive(id)));
      return !alive.includes(true);
    });
  });

  it("leaves no worker when the primary is killed", async () => {
    const program = start();
    const ids = await workerIds(program);
    program.kill("SIGKILL");
    await program.ended;
    await until(async () => {
      const alive = await Promise.all([...ids].map((id) => isAlive(id)));
      return !alive.includes(true);
    });
  });
});
