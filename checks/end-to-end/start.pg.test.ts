/** `npm start` from nothing to the answer of a pasted command, on the embedded PostgreSQL. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import {
  chromiumMissing,
  type EndedProcess,
  makeTemporaryFolder,
  patienceMs,
  type StartedProcess,
  startChromium,
  type TemporaryFolder,
  until,
} from "@stowage/process/testing";
import { processesWith } from "../testing/programs.ts";
import { FormBrowser } from "./testing/form-browser.ts";
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

  it("reports that the services listen, then how to call them, and a link last", async () => {
    started = startAll(directory, environment);
    said = await untilReady(started);
    for (const name of ["authorisation", "uploads", "web"]) {
      assert.match(said, new RegExp(`^${name}: listening on http://127\\.0\\.0\\.1:\\d+$`, "m"));
    }
    const [welcome = ""] = /^To call it from a program.*/ms.exec(said) ?? [];
    assert.match(
      welcome,
      /^Stowage is ready\. Open this link .*\n\n {2}http:\S+\/sign-in-link\?key=/m,
    );
    assert.match(welcome, /valid for 60 minutes, until \S+T\d\d:\d\d:\d\dZ\.\n\nTOKEN=eyJ/);
    assert.equal(welcome.match(/eyJ[\w-]+\.eyJ/g)?.length, 1);
    assert.match(welcome, /in another terminal with the same DATA_DIR\b/);
    assert.equal(curlCommandsIn(said).length, 2);
  });

  it("prints a link that leads to the page, and asks those who are no browser", async () => {
    const link = linkIn(said);
    const browser = new FormBrowser();
    const { text } = await browser.open(link);
    assert.match(text, /<button>Sign in as demo<\/button>/);
    const { url, status } = await browser.open(link, {
      method: "POST",
      body: new URLSearchParams(),
    });
    assert.deepEqual([url, status], [`${pageIn(said)}sign-in`, 0]);
    assert.match((await browser.open(link)).url, /\/sign-in$/);
    assert.match((await new FormBrowser().open(link)).text, /This link has been used/);
  });

  const inBrowser = { skip: chromiumMissing };
  it("prints the command for another link, which opens the page signed in", inBrowser, async () => {
    const [, line = ""] = /npx (stowage accounts sign-in-link (?:.*\\\n)*.*)/.exec(said) ?? [];
    const parameters = line.replaceAll("\\\n", " ").split(/ +/).slice(1);
    const { stdout } = await stowage([...parameters, "--json"], environment);
    const { link } = JSON.parse(stdout);
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      await page.goto(link, { timeout: patienceMs });
      assert.equal(page.url(), pageIn(said));
      const session = await page.evaluate("fetch('/session').then((answer) => answer.json())");
      assert.equal((session as { loginName: string }).loginName, "demo");
      await page.getByText("file 0.jpg").first().waitFor({ timeout: patienceMs });
    } finally {
      await browser.close();
    }
  });

  it("keeps another start from the same data folder, and says where the first one is", async () => {
    const { exitCode, stdout, stderr } = await startAll(directory, environment).ended;
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, /^stowage: Cannot start: another npm start runs with the data folder /);
    assert.ok(stderr.includes(`with the page at ${pageIn(said)}; stop it, or set DATA_DIR`));
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
    // The newest 50 uploads.
    const [command = ""] = curlCommandsIn(said);
    const sizeOf = async () => {
      const { uploads } = (await paste(command)) as { uploads: ListedFile[] };
      return uploads.find(({ filename }) => filename === name)?.sizeBytes;
    };
    for (const content of ["added", "changed now", undefined]) {
      if (content === undefined) await rm(file);
      else await writeFile(file, content);
      await until("the index follows", async () => (await sizeOf()) === content?.length, 30_000);
    }
  });

  it("keeps secrets from other users", async () => {
    const files = ["local-client.json", "page-client.json", "session-encryption-key"];
    for (const file of files) {
      const { mode } = await stat(join(environment.DATA_DIR ?? "", file));
      assert.equal(mode & 0o777, 0o600, file);
    }
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

  it("starts again with the same clients and account, and writes nothing new", async () => {
    const credentials = await credentialsIn(environment.DATA_DIR ?? "");
    started = startAll(directory, environment);
    const again = await untilReady(started);
    assert.match(again, /: 63 objects, .*: 0 new, 0 changed, 0 gone, 63 unchanged/);
    assert.deepEqual(await credentialsIn(environment.DATA_DIR ?? ""), credentials);
    await paste(curlCommandsIn(again)[0] ?? "");
    assert.notEqual(linkIn(again), linkIn(said));
    // The system has chosen another port for the page.
    const { url } = await new FormBrowser().open(linkIn(again), {
      method: "POST",
      body: new URLSearchParams(),
    });
    assert.equal(url, `${pageIn(again)}sign-in`);
    const accounts = await stowage(["accounts", "list", "--json"], environment);
    assert.equal(JSON.parse(accounts.stdout).length, 1);
    const clients = await stowage(["clients", "list", "--json"], environment);
    assert.equal(JSON.parse(clients.stdout).length, 3);
  });

  it("leaves no process when it is killed", async () => {
    started.kill("SIGKILL");
    await started.ended;
    const isNoneLeft = async () => (await processesWith(environment.DATA_DIR ?? "")).length === 0;
    await until("no process is left", isNoneLeft, 15_000);
  });

  it("makes another organisation with a page of its own if its client was removed", async () => {
    const dataDir = environment.DATA_DIR ?? "";
    const before = await credentialsIn(dataDir);
    await rm(join(dataDir, "local-client.json"));
    started = startAll(directory, environment);
    await untilReady(started);
    const after = await credentialsIn(dataDir);
    assert.notEqual(after.organisationId, before.organisationId);
    assert.notEqual(after.page.clientId, before.page.clientId);
    started.kill("SIGINT");
    assert.equal((await started.ended).exitCode, 0);
  });
});

/** JSON names of the fields that every upload has, with any value. */
const alwaysPresent = UploadSchema.fields
  .filter(({ fieldKind }) => fieldKind !== "message")
  .map(({ jsonName }) => jsonName)
  .concat("createdAt", "updatedAt");

type ListedFile = FoundFile & { readonly sizeBytes: number };

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
  const page = JSON.parse(await readFile(join(dataDir, "page-client.json"), "utf8"));
  return { clientId, clientSecret, organisationId, page };
}

/** The link in the output of a start. */
function linkIn(said: string): string {
  return /^ {2}(http\S+\/sign-in-link\S+)$/m.exec(said)?.[1] ?? "";
}

/** The address of the page in the output of a start. */
function pageIn(said: string): string {
  return /^ {2}The page +(\S+)$/m.exec(said)?.[1] ?? "";
}
