import assert from "node:assert/strict";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../../testing/sample-program.ts";
import { startProcess } from "../../testing/start-process.ts";
import { canEnter } from "./server-user.ts";

const nobody = 65_534;
/** Mounts a /proc that hides other users' command lines, which root can in a namespace. */
const hideProcesses = "mount -t proc -o hidepid=1 proc /proc";
const inNamespace = ["--pid", "--mount", "--fork", "--kill-child", "/bin/sh", "-c"];
const isRoot = process.getuid?.() === 0;
const probe = isRoot ? startProcess("unshare", [...inNamespace, hideProcesses]).ended : undefined;
const canHide =
  (await probe?.catch(() => undefined))?.exitCode === 0 &&
  (await canEnter({ uid: nobody, gid: nobody }, import.meta.dirname));
const needsHiding = canHide ? {} : { skip: "only root can hide processes, from other users" };

/** Asks, as nobody, whether process 1, which is root's, is the server of this folder. */
const program = `
  process.setgroups([]);
  process.setgid(${nobody});
  process.setuid(${nobody});
  const { isRunning, readPostmaster } = await import("./postmaster.ts");
  const folder = process.argv[1];
  console.log(await isRunning(await readPostmaster(folder), folder));`;

async function ask(test: TestContext, owner: number): Promise<{ folder: string; answer: string }> {
  const folder = join(await temporaryFolder(test), "cluster");
  await mkdir(folder, { mode: 0o755 });
  const lines = [1, folder, 1_700_000_000, 5432, "", "127.0.0.1", "", "ready", ""];
  await writeFile(join(folder, "postmaster.pid"), lines.join("\n"), { mode: 0o644 });
  await chown(folder, owner, owner);
  const command = `${hideProcesses} && "$@"; exit $?`;
  const node = [process.execPath, "--input-type=module-typescript", "--eval", program, folder];
  const { stdout, stderr } = await startProcess(
    "unshare",
    [...inNamespace, command, "sh", ...node],
    { cwd: import.meta.dirname },
  ).ended;
  return { folder, answer: stdout.trim() || stderr };
}

describe("a postmaster.pid that names a hidden process", needsHiding, () => {
  it("is stale if the process is another user's than the server", async (test) => {
    assert.equal((await ask(test, nobody)).answer, "false");
  });

  it("is refused with advice if the process may be the server", async (test) => {
    const { folder, answer } = await ask(test, 0);
    assert.ok(answer.includes(`if it is not, remove ${join(folder, "postmaster.pid")}`), answer);
  });
});
