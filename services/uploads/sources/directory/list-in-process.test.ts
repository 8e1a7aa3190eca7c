import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { startNode, until } from "@stowage/process/testing";
import { mountSilent, silentIsMissing } from "../testing/silent-file-system.ts";
import { listInProcess, openInProcess } from "./list-in-process.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "stowage-process-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function list(options: { answerTimeoutMs?: number } = {}, { signal } = new AbortController()) {
  const lister = listInProcess({ directory: root, exclude: [], dataFolders: [] }, options);
  return Array.fromAsync(lister.list({ after: undefined, until: undefined }, signal));
}

describe("a directory in a process of its own", () => {
  it("is listed page by page", async () => {
    for (let number = 0; number < 300; number++) await writeFile(join(root, `${number}`), "");
    const pages = await list();
    assert.deepEqual(
      pages.map(({ objects }) => objects.length),
      [256, 44],
    );
  });

  it("fails if the process cannot be started", async () => {
    const { execPath } = process;
    process.execPath = join(root, "missing");
    try {
      await assert.rejects(list(), /^Error: Cannot list .*: no such file or directory \(ENOENT\)$/);
    } finally {
      process.execPath = execPath;
    }
  });

  it("fails if it does not answer in time, or when the listing is to end", async () => {
    await assert.rejects(list({ answerTimeoutMs: 1 }), /its file system did not answer for 0.0 s$/);
    const ended = new AbortController();
    const listing = list({}, ended);
    ended.abort(new Error("enough"));
    await assert.rejects(listing, /enough/);
  });
});

/** A program that lists a directory. */
function program(directory: string): string {
  const place = JSON.stringify({ directory, exclude: [], dataFolders: [] });
  const module = JSON.stringify(new URL("list-in-process.ts", import.meta.url));
  return `
    const { listInProcess } = await import(${module});
    const range = { after: undefined, until: undefined };
    await Array.fromAsync(listInProcess(${place}).list(range, new AbortController().signal));`;
}

/** The content of a file in /proc; empty if there is none. */
function readProc(file: string): Promise<string> {
  return readFile(`/proc/${file}`, "utf8").catch(() => "");
}

describe("a file system that does not answer", { skip: silentIsMissing }, () => {
  it("is asked once, and keeps neither other files nor DNS from answering", async () => {
    const silent = await mountSilent(root);
    const givenUp = new AbortController();
    const listing = list({}, givenUp);
    void silent.asked.then(() => givenUp.abort(new Error("enough")));
    try {
      await assert.rejects(listing, /enough/);
      for (let attempt = 0; attempt < 5; attempt++) {
        await assert.rejects(list(), /its file system has not answered since 2/);
      }
      await readFile("/etc/hostname");
      await lookup("localhost");
    } finally {
      await silent.unmount();
    }
    const isListed = () => list().then(Boolean, () => false);
    await until("the directory can be listed again", isListed);
  });

  it("is asked once, even if its process is disposed twice", async () => {
    const place = { directory: root, exclude: [], dataFolders: [] };
    const givenUp = new AbortController();
    const { lister, ...opened } = await openInProcess(place, givenUp.signal);
    const silent = await mountSilent(root);
    void silent.asked.then(() => givenUp.abort(new Error("enough")));
    try {
      const listing = lister.list({ after: undefined, until: undefined }, givenUp.signal);
      await assert.rejects(Array.fromAsync(listing), /enough/);
      await opened[Symbol.asyncDispose]();
      await assert.rejects(list(), /its file system has not answered since 2/);
    } finally {
      await silent.unmount();
    }
  });

  const moments: [when: string, isReached: (child: string) => Promise<boolean>][] = [
    ["starts", async () => true],
    ["waits", async (child) => (await readProc(`${child}/wchan`)) === "request_wait_answer"],
  ];
  for (const [when, isReached] of moments) {
    it(`lets a process end whose parent is killed while the process ${when}`, async () => {
      const file = join(root, "file");
      await writeFile(file, "");
      // Only the file is silent. The process looks at it in its main thread.
      const silent = await mountSilent(file, { takesRequests: false });
      try {
        const { processId, kill } = startNode(["--input-type=module", "--eval", program(root)]);
        let child = "";
        await until(`the process ${when}`, async () => {
          [child = ""] = (await readProc(`${processId}/task/${processId}/children`)).split(" ");
          return child !== "" && (await isReached(child));
        });
        kill("SIGKILL");
        await until(
          "the process has ended",
          async () => (await readProc(`${child}/status`)) === "",
        );
      } finally {
        await silent.unmount();
      }
    });
  }
});
