/** The command line itself: what needs no service. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { run, stowage, wordsOf } from "./testing/run-stowage.ts";

const misuses = [
  "",
  "nonsense",
  "serve",
  "serve downloads",
  "serve uploads --nonsense",
  "import s4",
  "import dir",
  "clients add",
  "accounts add --organisation acme",
  "audit --limit 0",
  "tokens",
  "tokens revoke",
  "tokens revoke --jti a --sid b",
  "keys",
  "keys withdraw",
  "ls --limit 0",
  "ls --all --limit 3",
  "ls --from yesterday",
  "ls --sort colour",
  "ls a b",
  "find",
  "find -draft",
  "tree --depth -1",
  "du --depth 0",
  "stat",
  "tree --nonsense",
  "token --auth-url nowhere",
  "login --base-url nowhere",
  "logout now",
  "whoami --nonsense",
];

describe("the command line of stowage", { concurrency: 2 }, () => {
  for (const misuse of misuses) {
    it(`refuses "stowage ${misuse}" with exit code 2`, async () => {
      const { exitCode, stdout, stderr } = await stowage(...wordsOf(misuse));
      assert.equal(exitCode, 2);
      assert.equal(stdout, "");
      assert.match(stderr, /^stowage: .+\n$|^Usage: [\s\S]*\nstowage: need one of .*\n$/);
    });
  }

  for (const [misuse, expected] of [
    ["ls --recursiv", "unknown option '--recursiv' (Did you mean --recursive?); see stowage ls"],
    ["keys withdraw", "missing required argument 'kid'; see stowage keys withdraw"],
    ["serve uploads --all", "unknown option '--all'; see stowage serve uploads"],
  ] as const) {
    it(`says what is wrong with "stowage ${misuse}", and where to read`, async () => {
      const { stderr } = await stowage(...wordsOf(misuse));
      assert.equal(stderr, `stowage: ${expected} --help\n`);
    });
  }

  it("says that there is no command to explain", async () => {
    for (const command of ["help nonsense", "sources add help nonsense"]) {
      const { exitCode, stderr } = await stowage(...wordsOf(command));
      assert.equal(exitCode, 2);
      assert.match(stderr, /\nstowage: there is no command nonsense\n$/);
    }
  });

  it("marks the options that are required", async () => {
    const { stdout } = await stowage("accounts", "add", "--help");
    const marked = stdout.match(/^ {2}--\S+(?=.*\n?.*\(required\))/gm);
    assert.deepEqual(marked, ["  --organisation", "  --login-name"]);
  });

  for (const command of ["ls", "tree", "find x", "du", "stat /x", "whoami", "token"]) {
    it(`says what "stowage ${command}" needs where npm start has not run`, async () => {
      const { exitCode, stdout, stderr } = await stowage(...wordsOf(command));
      assert.equal(exitCode, 1);
      assert.equal(stdout, "");
      assert.match(stderr, /^stowage: Cannot .* or run npm start once\n$/);
    });
  }

  for (const command of ["--help", "ls --help", "accounts add --help", "help tree"]) {
    it(`fails if "stowage ${command}" cannot be written`, async () => {
      const text = `"$0" clients/cli/main.ts ${command} > /dev/full`;
      const { exitCode, stderr } = await run("/bin/bash", ["-c", text, process.execPath]);
      assert.equal(exitCode, 1);
      assert.match(stderr, /^stowage: Cannot write the output: ENOSPC: .*\n$/);
    });
  }

  it("prints its version", async () => {
    const { version } = createRequire(import.meta.url)("./package.json");
    for (const option of ["--version", "-V"]) {
      assert.deepEqual(await stowage(option), { exitCode: 0, stdout: `${version}\n`, stderr: "" });
    }
  });

  it("shows examples of a program's commands", async () => {
    const { stdout } = await stowage("sources", "--help");
    assert.match(stdout, /^ {2}stowage sources add s3 .* --organisation acme/m);
  });

  it("takes an empty variable of the environment for an absent one", async () => {
    const { stderr } = await run("env", [
      "BASE_URL=",
      "STOWAGE_TOKEN=",
      process.execPath,
      "clients/cli/main.ts",
      "whoami",
    ]);
    assert.match(stderr, /^stowage: Cannot find an access token for /);
  });

  it("says why it does not sign in at a port of another protocol", async () => {
    const { exitCode, stderr } = await stowage("login", "--auth-url", "http://127.0.0.1:6000");
    assert.equal(exitCode, 1);
    assert.match(stderr, /^stowage: Cannot sign in at http:\S+:6000: its port belongs to another /);
  });

  for (const [seconds, expected] of [
    [1_700_000_000, /^token until +2023-11-14T22:13:20Z: it has expired$/m],
    [4_102_444_800, /^token until +2100-01-01T00:00:00Z$/m],
  ] as const) {
    it(`says whether a token until ${seconds} has expired`, async () => {
      const claims = Buffer.from(JSON.stringify({ exp: seconds })).toString("base64url");
      const { exitCode, stdout } = await stowage("whoami", "--token", `e30.${claims}.e30`);
      assert.equal(exitCode, 0);
      assert.match(stdout, expected);
    });
  }

  it("shows no label of a claim that a token does not have", async () => {
    const { stdout } = await stowage("whoami", "--token", "e30.e30.e30");
    assert.match(stdout, /^service .*\ntoken from .*\n$/);
    const json = JSON.parse((await stowage("whoami", "--token", "e30.e30.e30", "--json")).stdout);
    assert.deepEqual(json.scopes, []);
  });

  it("says once how long a link is valid", async () => {
    const { stdout } = await stowage("link", "--help");
    assert.equal(stdout.match(/\(default:\s+1h\)|\(default: 3600\)/g)?.length, 1);
  });

  for (const parameters of [["stowage"], ["--no", "--", "stowage"]]) {
    it(`is this repository's own for npx ${parameters.join(" ")}`, async () => {
      const { exitCode, stdout, stderr } = await run("npx", [...parameters, "--help"]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /^Usage: stowage /);
    });
  }
});
