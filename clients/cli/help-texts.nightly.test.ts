/** The help text of each command, which a process prints. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stowage, wordsOf } from "./testing/run-stowage.ts";

/** Commands that another program carries out. */
const programs = [
  "import",
  "sources",
  "buckets",
  "export",
  "check",
  "clients",
  "accounts",
  "organisations",
  "groups",
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
  "clients secrets add",
  "groups",
  "groups set",
  "groups list",
  "groups remove",
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
  "sessions list",
  "consents",
  "consents list",
  "grants",
  "grants list",
  "keys",
  "keys list",
  "keys rotate",
  "keys withdraw",
  "find",
  "ls",
  "tree",
  "du",
  "stat",
];

describe("the help texts of stowage", { concurrency: 2 }, () => {
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

  const settingsRead: Record<string, readonly string[]> = {
    "accounts add": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "accounts sign-in-link": ["HOST", "PORT", "AUTH_URL", "DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "clients secrets add": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "keys list": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL"],
    "sources add s3": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL", "LEASE_MS", "DELETED_DATA_DAYS"],
    "sources add dir": ["DATABASE_URL", "DATA_DIR", "LOG_LEVEL", "LEASE_MS", "DELETED_DATA_DAYS"],
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
