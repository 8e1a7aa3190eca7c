/** `npm start` from nothing to the answer of a pasted command, on the embedded PostgreSQL. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import {
  type EndedProcess,
  makeTemporaryFolder,
  type StartedProcess,
  type TemporaryFolder,
} from "@stowage/process/testing";
import { processesWith } from "../testing/programs.ts";
import { until } from "../testing/until.ts";
import { startAll, stowage, untilReady } from "./testing/npm-start.ts";
import { curlCommandsIn, paste, pasteForReal } from "./testing/pasted-command.ts";
import {
  type FoundFile,
  type FoundFolder,
  filesIn,
  foldersIn,
  makeSampleFiles,
} from "./testing/sample-files.ts";

describe("npm start on an embedded database", () => {
  let folder: TemporaryFolder;
  let directory = "";
  let environment: Record<string, string> = {};
  let started: StartedProcess;
  let ended: EndedProcess;
  let said = "";

  before(async () => {
    folder = await makeTemporaryFolder();
    directory = join(folder.path, "files");
    await mkdir(directory);
    await makeSampleFiles(directory);
    // It is inside the directory on purpose, because it must not be imported.
    environment = { DATA_DIR: join(directory, "data here") };
  });
  after(() => folder.remove());

  it("reports that both services listen, then how to call them", async () => {
    started = startAll(directory, environment);
    said = await untilReady(started);
    assert.match(said, /^authorisation: listening on http:\/\/127\.0\.0\.1:\d+$/m);
    assert.match(said, /^uploads: listening on http:\/\/127\.0\.0\.1:\d+$/m);
    assert.match(said, /An access token, valid for 60 minutes, until \d\d:\d\d:\n\neyJ/);
    assert.equal(curlCommandsIn(said).length, 2);
  });

  it("serves a page at the printed address", async () => {
    const address = /Page +(\S+)/.exec(said)?.[1] ?? "";
    const response = await fetch(address);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<h1>Stowage<\/h1>/);
  });

  it("answers the first command with the newest 50 uploads and all their fields", async () => {
    const [command = ""] = curlCommandsIn(said);
    const answer = (await paste(command)) as { uploads: (FoundFile & { createdAt: string })[] };
    const times = answer.uploads.map(({ createdAt }) => Date.parse(createdAt));
    const newest = Array.from(
      { length: 50 },
      (_, index) => Date.parse("2026-01-01T00:01:02Z") - 1000 * index,
    );
    assert.deepEqual(times, newest);
    for (const upload of answer.uploads) {
      const missing = alwaysPresent.filter((name) => !(name in upload));
      assert.deepEqual(missing, []);
    }
    const real = new Set(
      (await filesIn(directory)).map(({ path, filename }) => `${path}/${filename}`),
    );
    const unreal = answer.uploads.filter(({ path, filename }) => !real.has(`${path}/${filename}`));
    assert.deepEqual(unreal, []);
  });

  it("answers the second command with the directory's real tree", async () => {
    const answer = (await paste(curlCommandsIn(said)[1] ?? "")) as { children: AnsweredNode[] };
    const real = (await foldersIn(directory)).filter(({ path }) => path !== "/data here");
    assert.deepEqual(answer.children.map(foundFolderOf), real);
  });

  it("prints commands that the real curl understands, if it is installed", async (context) => {
    for (const command of curlCommandsIn(said)) {
      const answer = await pasteForReal(command);
      if (answer === undefined)
        context.diagnostic("curl is not installed: its calls were made without it");
      else assert.deepEqual(answer, await paste(command));
    }
  });

  it("shows a file that is added, changed or removed within 30 s", async () => {
    const name = "followed by the index.txt";
    const file = join(directory, name);
    const sizeOf = async () => {
      const { stdout } = await stowage(["ls", "--search", name, "--json"], environment);
      return stdout === "" ? undefined : Number(JSON.parse(stdout).sizeBytes);
    };
    for (const content of ["added", "changed now", undefined]) {
      if (content === undefined) await rm(file);
      else await writeFile(file, content);
      await until("the index follows", async () => (await sizeOf()) === content?.length, 30_000);
    }
  });

  it("keeps the client's secret from other users", async () => {
    const { mode } = await stat(join(environment.DATA_DIR ?? "", "local-client.json"));
    assert.equal(mode & 0o777, 0o600);
  });

  it("lets the other commands call the services without options", async () => {
    const { stdout, exitCode } = await stowage(["ls", "--all", "--json"], environment);
    assert.equal(exitCode, 0);
    assert.equal(stdout.trimEnd().split("\n").length, 63);
  });

  it("ends with exit code 0 after Ctrl-C, and leaves no process", async () => {
    started.kill("SIGINT");
    ended = await started.ended;
    assert.equal(ended.exitCode, 0, ended.stderr);
    assert.deepEqual(await processesWith(environment.DATA_DIR ?? ""), []);
  });

  it("logs nothing when nothing is wrong", () => {
    assert.equal(ended.stderr, "");
  });

  it("starts again with the same client, and writes nothing new", async () => {
    const credentials = await credentialsIn(environment.DATA_DIR ?? "");
    started = startAll(directory, environment);
    const again = await untilReady(started);
    assert.match(again, /: 63 objects, .*: 0 new, 0 changed, 0 gone, 63 unchanged/);
    assert.deepEqual(await credentialsIn(environment.DATA_DIR ?? ""), credentials);
    await paste(curlCommandsIn(again)[0] ?? "");
  });

  it("leaves no process when it is killed", async () => {
    started.kill("SIGKILL");
    await started.ended;
    const isNoneLeft = async () => (await processesWith(environment.DATA_DIR ?? "")).length === 0;
    await until("no process is left", isNoneLeft, 15_000);
  });
});

/** JSON names of the fields that every upload has, with any value. */
const alwaysPresent = UploadSchema.fields
  .filter(({ fieldKind }) => fieldKind !== "message")
  .map(({ jsonName }) => jsonName)
  .concat("createdAt", "updatedAt");

interface AnsweredNode {
  folder: { path: string };
  children: AnsweredNode[];
}

function foundFolderOf({ folder, children }: AnsweredNode): FoundFolder {
  return { path: folder.path, children: children.map(foundFolderOf) };
}

async function credentialsIn(dataDir: string) {
  const { clientId, clientSecret, organisationId } = JSON.parse(
    await readFile(join(dataDir, "local-client.json"), "utf8"),
  );
  return { clientId, clientSecret, organisationId };
}
