/** People sign in from the command line, and other commands then call the services as them. */
import assert from "node:assert/strict";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type EndedProcess, type StartedProcess, startNode, until } from "@stowage/process/testing";
import { noSettings, root } from "../testing/programs.ts";
import { FormBrowser } from "./testing/form-browser.ts";
import { type Place, preparePlace, startAll, stowage, untilReady } from "./testing/npm-start.ts";

const loginName = "ada@example.com";
const password = "correct horse battery";

describe("stowage login, after npm start", () => {
  let place: Place;
  let services: StartedProcess;
  let urls: { baseUrl: string; authUrl: string };
  let organisationId: string;
  let environment: Record<string, string>;
  before(async () => {
    place = await preparePlace();
    await writeFile(join(place.directory, "one.txt"), "1");
    services = startAll(place.directory, place.environment);
    await untilReady(services);
    const { DATA_DIR } = place.environment;
    const local = JSON.parse(await readFile(join(DATA_DIR, "local-client.json"), "utf8"));
    urls = { baseUrl: local.baseUrl, authUrl: local.authUrl };
    organisationId = local.organisationId;
    const passwordFile = join(place.folder, "password");
    await writeFile(passwordFile, password);
    const account = ["--organisation", organisationId, "--login-name", loginName];
    const options = [...account, "--name", "Ada Lovelace", "--password-file", passwordFile];
    const added = await stowage(["accounts", "add", ...options], place.environment);
    assert.equal(added.exitCode, 0, added.stderr);
    // Without DATA_DIR's client: the login alone must do.
    environment = {
      DATA_DIR: join(place.folder, "no data"),
      XDG_STATE_HOME: join(place.folder, "state"),
    };
  });
  after(async () => {
    services.kill("SIGTERM");
    await services.ended;
    await place.remove();
  });

  const run = async (...parameters: string[]): Promise<EndedProcess> =>
    await stowage(parameters, environment);

  function startLogin(settings: Record<string, string>, ...options: string[]): StartedProcess {
    const addresses = ["--base-url", urls.baseUrl, "--auth-url", urls.authUrl];
    return startNode(["clients/cli/main.ts", "login", ...addresses, ...options], {
      cwd: root,
      env: { ...noSettings, ...noBrowser, ...environment, ...settings },
    });
  }

  /** Does what the person does, from the page of the code or of the issuer to the last one. */
  async function goThrough(address: string, code?: string): Promise<{ url: string; text: string }> {
    const browser = new FormBrowser();
    let page = await browser.open(address);
    if (code !== undefined) {
      const body = new URLSearchParams({ ...hiddenFieldsOf(page.text), user_code: code });
      page = await browser.open(address, { method: "POST", body });
      page = await browser.press(page, ["confirm", "yes"]);
    }
    page = await browser.press(page, ["act", "sign-in"], { login_name: loginName, password });
    return await browser.press(page, ["act", "allow"]);
  }

  async function loginFile(): Promise<string> {
    const folder = join(environment.XDG_STATE_HOME ?? "", "stowage", "logins");
    const [file, ...others] = (await readdir(folder)).filter((each) => each.endsWith(".json"));
    assert.ok(file !== undefined && others.length === 0);
    return join(folder, file);
  }

  it("is what a command asks for that finds no token", async () => {
    const { exitCode, stderr } = await run("ls", "--base-url", urls.baseUrl);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^stowage: Cannot find an access token .*: sign in with stowage login, /);
    assert.match(
      (await run("logout")).stderr,
      /^stowage: Cannot sign out: you are not signed in$/m,
    );
  });

  it("shows a code, and signs in the person who enters it", async () => {
    const login = startLogin({}, "--device");
    await until("it shows the code", () => /Code {3}\S+/.test(login.stderr()));
    const [, page = ""] = /Page {3}(\S+)/.exec(login.stderr()) ?? [];
    const [, code = ""] = /Code {3}(\S+)/.exec(login.stderr()) ?? [];
    const last = await goThrough(page, code);
    assert.match(last.text, /<h1>You have signed in<\/h1>/);
    const { exitCode, stdout } = await login.ended;
    assert.deepEqual([exitCode, stdout], [0, `Signed in as Ada Lovelace for ${urls.baseUrl}\n`]);
    const file = await loginFile();
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await stat(join(file, ".."))).mode & 0o777, 0o700);
  });

  it("lets other commands call the service as that person", async () => {
    const listed = await run("ls");
    assert.deepEqual([listed.exitCode, listed.stderr], [0, ""]);
    assert.match(listed.stdout, /one\.txt/);
    assert.match((await run("tree", "--uploads")).stdout, /one\.txt/);
    const { accessToken } = JSON.parse(await readFile(await loginFile(), "utf8"));
    assert.equal((await run("token")).stdout, `${accessToken}\n`);
    const { stdout } = await run("whoami", "--json");
    const { subject, client, expiresAt, ...rest } = JSON.parse(stdout);
    assert.match(subject, /^urn:svc:user:/);
    assert.equal(client, "a3f1c9d2-7c4e-4b8a-9f60-2d5e8b1c7a94");
    assert.ok(Date.parse(expiresAt) > Date.now());
    assert.deepEqual(rest, {
      name: "Ada Lovelace",
      loginName,
      organisation: organisationId,
      scopes: ["openid", "profile", "offline_access", "upl:bucket:read"],
      issuer: urls.authUrl,
      baseUrl: urls.baseUrl,
      source: "stowage login",
    });
    assert.match((await run("whoami")).stdout, /^name +Ada Lovelace$/m);
  });

  it("is renewed once when its token has expired, by commands that run at once", async () => {
    const file = await loginFile();
    const before = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...before, accessTokenExpiresAtMs: 0 }));
    const all = await Promise.all(Array.from({ length: 4 }, () => run("whoami", "--json")));
    assert.deepEqual(
      all.map(({ exitCode, stderr }) => [exitCode, stderr]),
      all.map(() => [0, ""]),
    );
    assert.equal(new Set(all.map(({ stdout }) => stdout)).size, 1);
    const renewed = JSON.parse(await readFile(file, "utf8"));
    assert.notEqual(renewed.refreshToken, before.refreshToken);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it("is renewed when its token was revoked", async () => {
    const { accessToken } = JSON.parse(await readFile(await loginFile(), "utf8"));
    const [, payload = ""] = accessToken.split(".");
    const { jti } = JSON.parse(Buffer.from(payload, "base64url").toString());
    const revoked = await stowage(["tokens", "revoke", "--jti", jti], place.environment);
    assert.equal(revoked.exitCode, 0, revoked.stderr);
    await until("the token is refused", async () => {
      const { exitCode } = await stowage(["ls", "--base-url", urls.baseUrl], {
        ...environment,
        STOWAGE_TOKEN: accessToken,
      });
      return exitCode === 1;
    });
    assert.deepEqual((await run("ls")).exitCode, 0);
    const { accessToken: next } = JSON.parse(await readFile(await loginFile(), "utf8"));
    assert.notEqual(next, accessToken);
  });

  it("says that the login has ended when it has", async () => {
    const file = await loginFile();
    const before = await readFile(file, "utf8");
    const wrong = { refreshToken: "unknown", accessTokenExpiresAtMs: 0 };
    await writeFile(file, JSON.stringify({ ...JSON.parse(before), ...wrong }));
    const { exitCode, stderr } = await run("ls");
    assert.equal(exitCode, 1);
    assert.match(stderr, /^stowage: Your login for .* has ended\. Sign in again: stowage login /);
    await writeFile(file, before);
  });

  it("is ended by stowage logout, here and at the issuer", async () => {
    const login = JSON.parse(await readFile(await loginFile(), "utf8"));
    const { exitCode, stdout, stderr } = await run("logout");
    assert.deepEqual([exitCode, stdout, stderr], [0, `Signed out of ${urls.baseUrl}\n`, ""]);
    await assert.rejects(loginFile());
    const response = await fetch(`${urls.authUrl}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: login.refreshToken,
        client_id: login.clientId,
      }),
    });
    assert.equal(((await response.json()) as { error: string }).error, "invalid_grant");
    await until("its access token is refused", async () => {
      const STOWAGE_TOKEN = login.accessToken;
      const settings = { ...environment, STOWAGE_TOKEN, BASE_URL: urls.baseUrl };
      return (await stowage(["ls"], settings)).exitCode === 1;
    });
  });

  it("opens a browser where there is one, and takes what it brings back", async () => {
    const program = join(place.folder, "browser");
    const opened = join(place.folder, "opened");
    await writeFile(program, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`);
    await chmod(program, 0o700);
    const login = startLogin({ BROWSER: program });
    await until("the browser is open", () => login.stderr().includes("Sign in in your browser"));
    const back = await goThrough(await readFile(opened, "utf8"));
    assert.match(back.url, /^http:\/\/127\.0\.0\.1:\d+\/callback\?code=/);
    const wrong = new URL(back.url);
    wrong.searchParams.set("state", "another");
    assert.equal((await fetch(wrong)).status, 404);
    assert.match(await (await fetch(back.url)).text(), /<h1>You have signed in<\/h1>/);
    const { exitCode, stdout } = await login.ended;
    assert.deepEqual([exitCode, stdout], [0, `Signed in as Ada Lovelace for ${urls.baseUrl}\n`]);
    assert.equal((await run("ls")).exitCode, 0);
    assert.equal((await run("logout", "--all")).exitCode, 0);
  });

  it("says that the issuer does not know the client", async () => {
    const { stderr } = await startLogin({}, "--device", "--client-id", "stranger").ended;
    assert.match(stderr, /does not know the client stranger; its operator must register it: see /);
  });

  it("is not for an address at which there is no uploads service", async () => {
    for (const wrong of [urls.authUrl, `${urls.baseUrl}/under`]) {
      const { stderr } = await run("ls", "--base-url", wrong, "--token", "t");
      const said = `stowage: Cannot list files at ${wrong}: no uploads service answers there (`;
      assert.ok(stderr.startsWith(said), stderr);
    }
  });

  it("falls back to a code when no browser opens", async () => {
    const login = startLogin({ BROWSER: join(place.folder, "no such program") });
    await until("it shows the code", () => /Code {3}\S+/.test(login.stderr()));
    login.kill("SIGTERM");
    await login.ended;
  });
});

const noBrowser = Object.fromEntries(
  ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY"].map((name) => [
    name,
    undefined,
  ]),
);

function hiddenFieldsOf(text: string): Record<string, string> {
  const hidden = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries(Array.from(hidden, ([, name, value]) => [name, value]));
}
