/** Where `stowage get` saves a file: a service with one file, and the command itself. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ContentService } from "@stowage/api/stowage/v1/content_service_pb";
import { UploadsService } from "@stowage/api/stowage/v1/uploads_service_pb";
import {
  type ListeningServer,
  listen,
  makeTemporaryFolder,
  startNode,
  startProcess,
  type TemporaryFolder,
} from "@stowage/process/testing";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const content = "content\n".repeat(50_000);

describe("stowage get", () => {
  let folder: TemporaryFolder;
  let service: ListeningServer;
  let filename: string;
  let refusal: string | undefined;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    refusal = undefined;
    filename = "a.txt";
    const answer = connectNodeAdapter({
      routes({ rpc }) {
        rpc(UploadsService.method.getUpload, () => ({
          upload: { uploadId: "1", path: "/", filename, sizeBytes: BigInt(content.length) },
        }));
        rpc(ContentService.method.createContentLink, () => ({ url: `${service.url}/content` }));
      },
    });
    const server = http.createServer((request, response) =>
      request.url === "/content" ? sendContent(response) : answer(request, response),
    );
    service = await listen(server);
  });
  afterEach(async () => {
    await service.close();
    await folder.remove();
  });

  function sendContent(response: http.ServerResponse): void {
    if (refusal === undefined) response.end(content);
    else response.writeHead(400).end(JSON.stringify({ message: refusal }));
  }

  /** Runs it in the temporary folder, and returns what it says. */
  async function get(...options: string[]): Promise<string> {
    const { path } = folder;
    const env = {
      BASE_URL: service.url,
      STOWAGE_TOKEN: "x",
      XDG_STATE_HOME: path,
      DATA_DIR: path,
    };
    const command = startNode([main, "get", `/${filename}`, ...options], { cwd: path, env });
    const { exitCode, stderr } = await command.ended;
    assert.equal(exitCode, stderr.startsWith("saved ") ? 0 : 1, stderr);
    return stderr;
  }

  const isSaved = async (...file: string[]) =>
    (await readFile(join(folder.path, ...file), "utf8")) === content;

  it("saves a file in a folder under its name", async () => {
    await mkdir(join(folder.path, "inside"));
    assert.match(await get("--output", "inside"), /^saved inside\/a\.txt /);
    assert.ok(await isSaved("inside", "a.txt"));
    assert.match(await get("--output", "inside/"), /: inside\/a\.txt exists; use --force/);
    assert.match(await get("--output", "inside/", "--force"), /^saved /);
  });

  it("says that there is no such folder", async () => {
    assert.match(await get("--output", "none/b"), /: there is no folder none\n$/);
    assert.match(await get("--output", "none/"), /: there is no folder none\/\n$/);
    await writeFile(join(folder.path, "a.txt"), "");
    assert.match(await get("--output", "a.txt/b"), /^stowage: Cannot save \/a\.txt: ENOTDIR: /);
  });

  it("says why the service refuses the content, as with an archived object", async () => {
    refusal = "the object is archived (GLACIER); its owner must restore it in the store first";
    assert.equal(await get(), `stowage: Cannot read /a.txt: ${refusal}\n`);
  });

  it("saves a file whose name is as long as a file system allows", async () => {
    for (filename of ["a".repeat(242), "b".repeat(255), `${"🙂".repeat(63)}abc`]) {
      assert.match(await get(), /^saved /);
      assert.ok(await isSaved(filename));
    }
    assert.equal((await readdir(folder.path)).length, 3);
  });

  for (const options of [[], ["--force"]]) {
    it(`writes into a named pipe ${options}, and does not replace it`, async () => {
      const pipe = join(folder.path, "pipe");
      execFileSync("mkfifo", [pipe]);
      await symlink("pipe", join(folder.path, "link"));
      const reader = startProcess("cat", [pipe]);
      try {
        assert.match(await get("--output", "link", ...options), /^saved /);
        assert.ok((await stat(pipe)).isFIFO());
        assert.ok((await reader.ended).stdout === content);
      } finally {
        reader.kill("SIGKILL");
      }
      assert.deepEqual((await readdir(folder.path)).sort(), ["link", "pipe"]);
    });
  }

  it("replaces a file only with --force", async () => {
    await writeFile(join(folder.path, "a.txt"), "mine");
    assert.match(await get(), /^stowage: Cannot save \/a\.txt: a\.txt exists; use --force/);
    assert.match(await get("--force"), /^saved a\.txt /);
    assert.ok(await isSaved("a.txt"));
  });
});
