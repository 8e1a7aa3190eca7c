/** The validator as others get it: packed, in a project that has nothing but it and Node. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createTestDatabase,
  type EndedProcess,
  type StartedProcess,
  startNode,
  startProcess,
  type TestDatabase,
} from "@stowage/process/testing";
import { noSettings, removeFolder, root, temporaryFolder } from "./started.ts";

describe("the packed validator", () => {
  let folder = "";
  let project = "";
  let database: TestDatabase;
  let service: StartedProcess;
  let authUrl = "";

  before(async () => {
    folder = await temporaryFolder();
    project = join(folder, "project");
    database = await createTestDatabase();
    const environment = {
      ...noSettings,
      DATABASE_URL: database.databaseUrl,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      PORT: "0",
    };
    service = startNode(["services/authorisation/main.ts"], { cwd: root, env: environment });
    const ready = await service.line(/^authorisation: listening on /);
    authUrl = ready.split(" ").at(-1) ?? "";
    await installPackage();
  });
  after(async () => {
    service.kill("SIGTERM");
    await service.ended;
    await database.drop();
    await removeFolder(folder);
  });

  async function installPackage(): Promise<void> {
    const built = join(folder, "built");
    await done(startNode(["libraries/access-token/build/main.ts", built], { cwd: root }));
    const tarball = (await done(npm("pack", "--silent", "./built"))).stdout.trim();
    await mkdir(project);
    await writeFile(join(project, "package.json"), "{}");
    await done(npm("install", "--prefix", project, "--offline", "--no-audit", `./${tarball}`));
  }

  /** Without what an npm around the tests says, and with nothing fetched before. */
  function npm(...parameters: string[]): StartedProcess {
    const around = Object.keys(process.env).filter((name) => name.startsWith("npm_"));
    const without = Object.fromEntries(around.map((name) => [name, undefined]));
    const env = { ...without, npm_config_cache: join(folder, "npm-cache") };
    return startProcess("npm", parameters, { cwd: folder, env });
  }

  /** By the client credentials grant, for a client that has just been added. */
  async function requestToken(): Promise<{ clientId: string; token: string }> {
    const add = [
      "services/authorisation/commands/clients.ts",
      "add",
      "--organisation",
      "a",
      "--json",
    ];
    const environment = { ...noSettings, DATABASE_URL: database.databaseUrl };
    const added = await done(startNode(add, { cwd: root, env: environment }));
    const { clientId, clientSecret } = JSON.parse(added.stdout);
    const response = await fetch(`${authUrl}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return { clientId, token };
  }

  /** Runs the first program of the README that came with the package. */
  async function validate(token: string): Promise<EndedProcess> {
    const installed = join(project, "node_modules", "@stowage", "access-token");
    const readme = await readFile(join(installed, "README.md"), "utf8");
    const [, program = ""] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
    assert.equal(program.trimEnd().split("\n").length, 10);
    await writeFile(join(project, "validate.mjs"), program);
    const env = { ...noSettings, AUTH_URL: authUrl, ACCESS_TOKEN: token };
    return await startProcess(node, ["validate.mjs"], { cwd: project, env }).ended;
  }

  it("validates a token of the authorisation service in ten lines of JavaScript", async () => {
    const { clientId, token } = await requestToken();
    const { exitCode, stdout, stderr } = await validate(token);
    assert.equal(stderr, "");
    const subject = `urn:svc:serviceaccount:${clientId}`;
    assert.equal(stdout, `${subject} may upl:bucket:read, service_account\n`);
    assert.equal(exitCode, 0);
  });

  it("refuses the same token with other claims", async () => {
    const { token } = await requestToken();
    const [header, payload = "", signature] = token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const others = Buffer.from(JSON.stringify({ ...claims, scope: "all" })).toString("base64url");
    const { exitCode, stdout, stderr } = await validate(`${header}.${others}.${signature}`);
    assert.equal(stdout, "");
    assert.match(stderr, /SIGNATURE_INVALID/);
    assert.equal(exitCode, 1);
  });
});

/** The Node of the project; TEST_CONSUMER_NODE names another, such as the oldest promised. */
const node = process.env.TEST_CONSUMER_NODE ?? process.execPath;

async function done({ ended }: StartedProcess): Promise<EndedProcess> {
  const result = await ended;
  assert.equal(result.exitCode, 0, result.stderr);
  return result;
}
