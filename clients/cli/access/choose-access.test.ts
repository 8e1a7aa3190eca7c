import assert from "node:assert/strict";
import { mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { chooseAccess } from "./choose-access.ts";
import { writeLocalClient } from "./local-client.ts";
import { listLogins, removeLogin, type StoredLogin, writeLogin } from "./stored-logins.ts";

const baseUrl = "https://files.example.com";

const login: StoredLogin = {
  ...{ authUrl: "https://login.example.com", baseUrl, clientId: "c" },
  subject: "urn:svc:user:1",
  name: "Ada",
  loginName: "ada@example.com",
  refreshToken: "r",
  accessToken: "the login's",
  accessTokenExpiresAtMs: Date.now() + 1e6,
  signedInAtMs: Date.now(),
};

describe("the token of a command", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "stowage-access-"));
    process.env.XDG_STATE_HOME = join(folder, "state");
    process.env.DATA_DIR = join(folder, "data");
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    for (const each of await listLogins()) await removeLogin(each);
    await rm(join(folder, "data"), { recursive: true, force: true });
  });

  async function startedAt(time: Date): Promise<void> {
    await writeLocalClient(join(folder, "data"), {
      ...{ baseUrl: "http://127.0.0.1:8080", pageUrl: "http://127.0.0.1:2" },
      ...{ authUrl: "http://127.0.0.1:1", organisationId: "o", clientId: "c", clientSecret: "s" },
    });
    await utimes(join(folder, "data", "local-client.json"), time, time);
  }

  it("is the login's, for the service that was signed in to last", async () => {
    await writeLogin({ ...login, baseUrl: "https://other.example", signedInAtMs: 1 });
    await writeLogin(login);
    const { accessToken, source, ...rest } = await chooseAccess({});
    assert.deepEqual([accessToken, source, rest.baseUrl], ["the login's", "login", baseUrl]);
    const other = await chooseAccess({ baseUrl: "https://other.example/" });
    assert.equal(other.baseUrl, "https://other.example");
  });

  it("is never sent to another service", async () => {
    await writeLogin(login);
    for (const other of ["https://files.example.com.evil", "http://files.example.com"]) {
      await assert.rejects(chooseAccess({ baseUrl: other }), {
        message: /^Cannot find an access token for .*: sign in with stowage login, /,
      });
    }
  });

  it("is the given one, if there is one", async () => {
    await writeLogin(login);
    const given = await chooseAccess({ token: "given" });
    assert.deepEqual(given, { baseUrl, accessToken: "given", source: "given" });
  });

  it("is of the issuer that is named, also if another service was used later", async () => {
    await writeLogin(login);
    const later = { authUrl: "https://other.example", baseUrl: "https://later.example" };
    await writeLogin({ ...login, ...later, signedInAtMs: login.signedInAtMs + 1 });
    await startedAt(new Date(login.signedInAtMs + 60_000));
    const { source, ...rest } = await chooseAccess({ authUrl: login.authUrl });
    assert.deepEqual([source, rest.baseUrl], ["login", baseUrl]);
    await assert.rejects(chooseAccess({ authUrl: `${login.authUrl}/` }), {
      message:
        /^Cannot find an access token of .*: sign in with stowage login, or give --client-id/,
    });
  });

  it("is for the service of npm start, if that was started after the last login", async () => {
    await writeLogin(login);
    await startedAt(new Date(login.signedInAtMs - 60_000));
    assert.equal((await chooseAccess({})).source, "login");
    await startedAt(new Date(login.signedInAtMs + 60_000));
    // No issuer listens there.
    await assert.rejects(chooseAccess({}), /Cannot get a token from http:\/\/127\.0\.0\.1:1/);
  });

  it("is stored in a file that only its owner can read", async () => {
    await writeLogin(login);
    const state = join(folder, "state", "stowage");
    assert.equal((await stat(join(state, "logins"))).mode & 0o777, 0o700);
    assert.deepEqual(await listLogins(), [login]);
  });
});
