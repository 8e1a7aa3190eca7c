/** The packed validator in a project that has nothing else but Node. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createTestDatabase,
  type EndedProcess,
  makeTemporaryFolder,
  type StartedProcess,
  startNode,
  startProcess,
  type TemporaryFolder,
  type TestDatabase,
} from "@stowage/process/testing";
import { noSettings, root, type Service, startService } from "../testing/programs.ts";

describe("the packed validator", () => {
  let folder: TemporaryFolder;
  let project = "";
  let database: TestDatabase;
  let service: Service;

  before(async () => {
    folder = await makeTemporaryFolder();
    project = join(folder.path, "project");
    database = await createTestDatabase();
    service = await startService("authorisation", {
      DATABASE_URL: database.databaseUrl,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      PORT: "0",
    });
    await installPackage();
  });
  after(async () => {
    await service?.stop();
    await database?.drop();
    await folder?.remove();
  });

  async function installPackage(): Promise<void> {
    const built = join(folder.path, "built");
    await done(startNode(["libraries/access-token/build/build-package.ts", built], { cwd: root }));
    const tarball = (await done(npm("pack", "--silent", "./built"))).stdout.trim();
    await mkdir(project);
    await writeFile(join(project, "package.json"), "{}");
    await done(npm("install", "--prefix", project, "--offline", "--no-audit", `./${tarball}`));
  }

  /** Runs npm without the settings of an npm around the tests, and with an empty cache. */
  function npm(...parameters: string[]): StartedProcess {
    const around = Object.keys(process.env).filter((name) => name.startsWith("npm_"));
    const without = Object.fromEntries(around.map((name) => [name, undefined]));
    const env = { ...without, npm_config_cache: join(folder.path, "npm-cache") };
    return startProcess("npm", parameters, { cwd: folder.path, env });
  }

  /** Adds a client and requests a token by the client credentials grant. */
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
    const response = await fetch(`${service.url}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return { clientId, token };
  }

  /** Runs the first program of the README in the package. */
  async function validate(token: string): Promise<EndedProcess> {
    const installed = join(project, "node_modules", "@stowage", "access-token");
    const readme = await readFile(join(installed, "README.md"), "utf8");
    const [, program = ""] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
    assert.equal(program.trimEnd().split("\n").length, 10);
    await writeFile(join(project, "validate.mjs"), program);
    const env = { ...noSettings, AUTH_URL: service.url, ACCESS_TOKEN: token };
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

  it("rejects the same token with other claims", async () => {
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

/** The Node of the project, or another in TEST_CONSUMER_NODE, such as the oldest supported. */
const node = process.env.TEST_CONSUMER_NODE ?? process.execPath;

async function done({ ended }: StartedProcess): Promise<EndedProcess> {
  const result = await ended;
  assert.equal(result.exitCode, 0, result.stderr);
  return result;
}
