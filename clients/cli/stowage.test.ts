/** The command line itself: what needs no service. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";

const root = new URL("../../", import.meta.url);

interface Result {
  exitCode: number;
  stdout: string;
  stderr: string;
}

function run(program: string, parameters: readonly string[]): Promise<Result> {
  // No client and no login that may be stored on this machine.
  const env = {
    ...process.env,
    DATA_DIR: `${tmpdir()}/stowage-no-data`,
    XDG_STATE_HOME: `${tmpdir()}/stowage-no-state`,
    npm_config_loglevel: "error",
  };
  return new Promise((resolve) => {
    const child = execFile(program, parameters, { cwd: root, env }, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

function stowage(...parameters: string[]): Promise<Result> {
  return run(process.execPath, ["clients/cli/main.ts", ...parameters]);
}

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
  "service-accounts add",
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
  "tree --depth -1",
  "tree --nonsense",
  "token --auth-url nowhere",
  "login --base-url nowhere",
  "logout now",
  "whoami --nonsense",
];

/** Commands that another program carries out. */
const programs = [
  "import",
  "sources",
  "buckets",
  "export",
  "check",
  "clients",
  "service-accounts",
  "accounts",
  "organisations",
  "audit",
  "tokens",
  "sessions",
  "consents",
  "grants",
  "keys",
];

const commands = [
  "",
  "serve",
  "serve uploads",
  "serve authorisation",
  "serve web",
  "serve sync",
  "import",
  "import ndjson",
  "import dir",
  "import s3",
  "clients",
  "clients add",
  "clients list",
  "clients update",
  "clients secrets",
  "clients disable",
  "clients enable",
  "clients remove",
  "organisations",
  "organisations list",
  "organisations disable",
  "organisations enable",
  "service-accounts",
  "service-accounts add",
  "service-accounts list",
  "service-accounts revoke",
  "clients secrets add",
  "accounts",
  "accounts add",
  "accounts update",
  "accounts sign-in-link",
  "accounts list",
  "accounts remove",
  "accounts set-password",
  "accounts sign-out",
  "sources add s3",
  "sources add dir",
  "sources sync",
  "sources remove",
  "audit",
  "login",
  "logout",
  "whoami",
  "token",
  "tokens",
  "tokens revoke",
  "sessions",
  "sessions end",
  "consents",
  "consents withdraw",
  "grants",
  "grants revoke",
  "keys",
  "keys list",
  "keys rotate",
  "keys withdraw",
  "ls",
  "tree",
];

describe("the command line of stowage", { concurrency: 2 }, () => {
  it("describes each program as the program does itself", async () => {
    const described = commandsIn((await stowage("--help")).stdout);
    for (const name of programs) {
      const { stdout } = await stowage(name, "--help");
      assert.equal(described.get(name), stdout.split("\n\n")[1]?.replaceAll("\n", " "), name);
    }
  });

  it("explains a command with help as with --help", async () => {
    for (const words of [[], ["clients"], ["serve", "uploads"], ["sources", "add"], ["tree"]]) {
      assert.deepEqual(await stowage("help", ...words), await stowage(...words, "--help"));
    }
  });

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

  for (const command of commands) {
    it(`explains "stowage ${command}"`, async () => {
      const { exitCode, stdout, stderr } = await stowage(...wordsOf(command), "--help");
      assert.equal(exitCode, 0);
      assert.match(stdout, /^Usage: stowage /);
      assert.doesNotMatch(stdout, /\n\n\n/);
      // Text and lists; commands stay whole.
      assert.doesNotMatch(stdout, /^(?=\S| *\S+ {2,}).{81,}$/m);
      assert.equal(stderr, "");
    });
  }

  for (const command of ["ls", "tree", "whoami", "token"]) {
    it(`says what "stowage ${command}" needs where npm start has not run`, async () => {
      const { exitCode, stdout, stderr } = await stowage(command);
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

  const settingsRead: Record<string, readonly string[]> = {
    "accounts add": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "accounts sign-in-link": ["HOST", "PORT", "AUTH_URL", "DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "clients secrets add": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "keys list": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "sources add s3": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL", "LEASE_MS"],
    "sources add dir": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL", "LEASE_MS"],
    "keys rotate": [
      "KEY_ENCRYPTION_KEY",
      "KEY_ENCRYPTION_KEY_FILE",
      "KEY_PUBLICATION_S",
      "DATABASE_URL",
      "DATA_DIR",
      "LOG_LEVEL",
    ],
  };
  for (const [command, names] of Object.entries(settingsRead)) {
    it(`names the settings that "stowage ${command}" reads`, async () => {
      const { stdout } = await stowage(...wordsOf(command), "--help");
      const [, list = ""] = stdout.split("\nSettings come from the environment:\n");
      assert.deepEqual(
        list.match(/^ {2}[A-Z_]+/gm)?.map((line) => line.trim()),
        names,
      );
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

/** The description of each command under "Commands:" of a help text. */
function commandsIn(help: string): ReadonlyMap<string, string> {
  const [, list = ""] = /^Commands:\n((?: {2}.*\n)*)/m.exec(help) ?? [];
  const lines = list
    .replace(/\n {4,}/g, " ")
    .trimEnd()
    .split("\n");
  return new Map(lines.map((line) => line.trim().split(/(?: \[.*?\])* {2,}/) as [string, string]));
}

function wordsOf(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
