/** Trees in JSON, from a service that answers as slowly, and as wrongly, as a test needs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type ListeningServer,
  listen,
  makeTemporaryFolder,
  startNode,
  type TemporaryFolder,
  until,
} from "@stowage/process/testing";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

describe("stowage tree --json", () => {
  let folder: TemporaryFolder;
  let server: http.Server;
  let service: ListeningServer;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    server = http.createServer();
    service = await listen(server);
  });
  afterEach(async () => {
    await service.close();
    await folder.remove();
  });

  /** Starts the command, which has then got the first half of the answer. */
  async function startTree() {
    const { path } = folder;
    const { url: BASE_URL } = service;
    const env = { BASE_URL, STOWAGE_TOKEN: "x", XDG_STATE_HOME: path, DATA_DIR: path };
    const command = startNode([main, "tree", "--json"], { env });
    const [request, response] = (await once(server, "request")) as [
      http.IncomingMessage,
      ServerResponse,
    ];
    assert.equal(request.headers["content-type"], "application/json");
    response.writeHead(200, { "content-type": "application/json" }).write('{"children":[');
    await until("the command prints it", () => command.stdout() === '{"children":[');
    return { command, response };
  }

  it("prints the answer while it is sent, as it is", async () => {
    const { command, response } = await startTree();
    response.end("  ]}");
    const { exitCode, stdout, stderr } = await command.ended;
    assert.deepEqual([exitCode, stdout, stderr], [0, '{"children":[  ]}\n', ""]);
  });

  it("fails if the connection breaks", async () => {
    const { command, response } = await startTree();
    response.destroy();
    const { exitCode, stderr } = await command.ended;
    assert.equal(exitCode, 1);
    assert.match(stderr, /^stowage: Cannot show the tree: .+\n$/);
  });
});
