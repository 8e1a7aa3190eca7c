/** The command under a Node that cannot run: a copy of its scripts, with another `node`. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTemporaryFolder } from "@stowage/process/testing";

const scripts = ["stowage.sh", "programs/run-node.sh"];
const loaderText =
  "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: " +
  "No such file or directory";

let folder: { readonly path: string; remove(): Promise<void> };
before(async () => {
  folder = await makeTemporaryFolder();
  const cli = join(folder.path, "clients/cli");
  for (const script of scripts) {
    await cp(join(import.meta.dirname, "..", script), join(cli, script));
  }
  await mkdir(join(folder.path, "node_modules/.bin"), { recursive: true });
});
after(() => folder.remove());

/** Runs the command with this text as the program `node`. */
async function runUnder(node: string) {
  await writeFile(join(folder.path, "node_modules/.bin/node"), `#!/bin/sh\n${node}\n`, {
    mode: 0o755,
  });
  return await new Promise((resolve) => {
    const command = join(folder.path, "clients/cli/stowage.sh");
    const child = execFile(command, ["ls", "a b"], (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}

describe("stowage", () => {
  const refused: Record<string, [node: string, said: string]> = {
    "Node lacks a library": [
      `echo '${loaderText}' >&2; exit 127`,
      "need the library libatomic: apt-get install libatomic1, or dnf install libatomic",
    ],
    "Node cannot run": ["echo 'node: Exec format error' >&2; exit 126", "node: Exec format error"],
    "Node is too old": [
      "echo v20.20.2",
      "got v20.20.2, need Node 26 or newer, which npm ci installs on Linux",
    ],
  };
  for (const [what, [node, said]] of Object.entries(refused)) {
    it(`says what to do if ${what}`, async () => {
      const stderr = `stowage: Cannot run Node: ${said}\n`;
      assert.deepEqual(await runUnder(node), { exitCode: 1, stdout: "", stderr });
    });
  }

  it("runs under a Node that can", async () => {
    const node = 'if [ "$1" = --version ]; then echo v26.1.0; else shift; echo "$@"; exit 3; fi';
    assert.deepEqual(await runUnder(node), { exitCode: 3, stdout: "ls a b\n", stderr: "" });
  });
});
