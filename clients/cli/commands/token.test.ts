import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { makeTemporaryFolder, startNode } from "@stowage/process/testing";
import { type StoredLogin, writeLogin } from "../access/stored-logins.ts";

const authUrl = "http://127.0.0.1:1";
const login: StoredLogin = {
  ...{ authUrl, baseUrl: "https://files.example.com", clientId: "c", subject: "urn:svc:user:1" },
  name: "Ada",
  loginName: "ada@example.com",
  signedInAtMs: 1,
  refreshToken: "r",
  accessToken: "the login's",
  accessTokenExpiresAtMs: Date.now() + 1e6,
};

let folder: { readonly path: string; remove(): Promise<void> };
before(async () => {
  folder = await makeTemporaryFolder();
  process.env.XDG_STATE_HOME = folder.path;
  await writeLogin(login);
});
after(() => folder.remove());

function token(environment: Readonly<Record<string, string>>) {
  const { path } = folder;
  const env = { XDG_STATE_HOME: path, DATA_DIR: path, AUTH_URL: authUrl, ...environment };
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  return startNode([main, "token"], { env }).ended;
}

it("the token is that of the login if AUTH_URL is its issuer", async () => {
  const { exitCode, stdout, stderr } = await token({});
  assert.deepEqual([exitCode, stdout, stderr], [0, "the login's\n", ""]);
});

it("the token is one for the client that the environment names", async () => {
  const { stderr } = await token({ STOWAGE_CLIENT_ID: "x", STOWAGE_CLIENT_SECRET: "y" });
  assert.match(stderr, /^stowage: Cannot get a token from http:/);
});
