import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createLogger } from "../logger.ts";
import { SettingsError } from "../settings/settings.ts";
import { makeTemporaryFolder, type TemporaryFolder } from "../testing/index.ts";
import { findEncryptionKeys, openEncryptionKeys, parseEncryptionKeys } from "./encryption-keys.ts";
import { encryptionKeyOf } from "./sealed.ts";

const purpose = {
  setting: "KEY_ENCRYPTION_KEY",
  fileName: "key-encryption-key",
  keyName: "the key encryption key",
  encrypted: "the signing keys",
};

const logger = createLogger({ name: "test", level: "silent" });
const bytes = randomBytes(32);
const text = bytes.toString("base64");
let temporary: TemporaryFolder;
before(async () => {
  temporary = await makeTemporaryFolder();
});
after(() => temporary.remove());

async function folder(name: string): Promise<string> {
  const path = join(temporary.path, name);
  await mkdir(path);
  return path;
}

function open(file: string, isInUse = false) {
  return openEncryptionKeys(purpose, { source: { file }, isInUse: async () => isInUse, logger });
}

/** What `assert.rejects` compares. Programs end with exit code 2 after such an error. */
function wrongFile(problem: RegExp) {
  const message = new RegExp(`KEY_ENCRYPTION_KEY_FILE: ${problem.source}`);
  return { name: "SettingsError", message };
}

describe("the text of encryption keys", () => {
  it("is one or more times 32 bytes in base64, separated by white space", () => {
    const second = randomBytes(32);
    const ids = [bytes, second].map((key) => encryptionKeyOf(key).id);
    for (const given of [
      `${text} ${second.toString("base64")}`,
      `\n${text}\r\n\t${second.toString("base64").replace("=", "")}\n`,
    ]) {
      assert.deepEqual(
        parseEncryptionKeys(given)?.map(({ id }) => id),
        ids,
      );
    }
  });

  const wrong = {
    nothing: "",
    "white space": " \n",
    "31 bytes": randomBytes(31).toString("base64"),
    "33 bytes": randomBytes(33).toString("base64"),
    hexadecimal: randomBytes(32).toString("hex"),
    "a pass phrase": "correct horse battery staple correct horse bat",
    "other letters in between": `${text.slice(0, 20)}*${text.slice(20)}`,
    "one right and one wrong": `${text} x`,
  };
  for (const [what, given] of Object.entries(wrong)) {
    it(`is not ${what}`, () => assert.equal(parseEncryptionKeys(given), undefined));
  }
});

describe("the place of encryption keys", () => {
  const keys = [encryptionKeyOf(bytes)];
  const nowhere = {
    keys: undefined,
    file: undefined,
    databaseUrl: undefined,
    dataDir: { path: "/nowhere", isDefault: true },
  };

  it("is the setting, or the file that a setting names", async () => {
    const databaseUrl = "postgresql://db/x";
    const given = { ...nowhere, databaseUrl };
    assert.deepEqual(await findEncryptionKeys(purpose, { ...given, keys }), { keys });
    const file = join(temporary.path, "key");
    assert.deepEqual(await findEncryptionKeys(purpose, { ...given, file }), { file });
  });

  it("is refused before the start if it is no file of keys", async () => {
    await assert.rejects(
      findEncryptionKeys(purpose, { ...nowhere, file: "/etc/passwd" }),
      wrongFile(/cannot use the key encryption key in \/etc\/passwd, need 32 bytes in base64/),
    );
  });

  it("is never two places", async () => {
    const both = { ...nowhere, keys, file: "/f" };
    await assert.rejects(findEncryptionKeys(purpose, both), SettingsError);
  });

  it("is a file in the data folder with the embedded database", async () => {
    const file = "/nowhere/key-encryption-key";
    assert.deepEqual(await findEncryptionKeys(purpose, nowhere), { file });
  });

  describe("for a database that others may use", () => {
    const databaseUrl = "postgresql://db/x";
    const missing = {
      name: "SettingsError",
      message: /KEY_ENCRYPTION_KEY: got nothing, need 32 bytes in base64, as openssl rand -base64/,
    };

    it("must be set, unless that file exists in a data folder that is set", async () => {
      const path = await folder("that is set");
      const given = { ...nowhere, databaseUrl, dataDir: { path, isDefault: false } };
      await assert.rejects(findEncryptionKeys(purpose, given), missing);
      const file = join(path, "key-encryption-key");
      await writeFile(file, text);
      assert.deepEqual(await findEncryptionKeys(purpose, given), { file });
    });

    it("is never the default data folder, which is an embedded database's", async () => {
      const path = await folder("by default");
      await writeFile(join(path, "key-encryption-key"), text);
      const given = { ...nowhere, databaseUrl, dataDir: { path, isDefault: true } };
      await assert.rejects(findEncryptionKeys(purpose, given), missing);
    });
  });

  it("is not asked for if that file cannot be read", async () => {
    const path = join(await folder("with a link to itself"), "loop");
    await symlink(path, path);
    const given = {
      ...nowhere,
      databaseUrl: "postgresql://db/x",
      dataDir: { path, isDefault: false },
    };
    await assert.rejects(
      findEncryptionKeys(purpose, given),
      wrongFile(/cannot read the key encryption key in .*\/loop\/key-encryption-key: ELOOP/),
    );
  });
});

describe("the file of encryption keys", () => {
  it("is made once, by the first process, for its owner only", async () => {
    const path = await folder("made");
    const file = join(path, "key");
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(file)));
    assert.equal(new Set(opened.map(([key]) => key?.id)).size, 1);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(path), ["key"]);
    assert.match(await readFile(file, "utf8"), /^[A-Za-z0-9+/]{43}=\n$/);
    assert.deepEqual(await open(file, true), opened[0], "and read from then on");
  });

  it("is not made if something is encrypted already", async () => {
    const file = join(await folder("missing"), "key");
    await assert.rejects(open(file, true), wrongFile(/there is no file .*\/key, need /));
    await assert.rejects(stat(file), { code: "ENOENT" });
  });

  it("is not made in a folder that does not exist", async () => {
    const file = join(temporary.path, "no folder", "key");
    await assert.rejects(open(file), wrongFile(/cannot make the key encryption key .*: ENOENT/));
  });

  it("may belong to another user, with any mode", async () => {
    const file = join(await folder("given"), "key");
    await writeFile(file, `${text}\n`);
    await chmod(file, 0o444);
    assert.deepEqual(
      (await open(file)).map(({ id }) => id),
      [encryptionKeyOf(bytes).id],
    );
  });

  for (const [what, content] of [
    ["is empty", ""],
    ["holds something else", "hunter2"],
    ["is far too long", `${text}\n`.repeat(1000)],
  ] as const) {
    it(`is refused when it ${what}, and not shown`, async () => {
      const file = join(await folder(what), "key");
      await writeFile(file, content);
      await assert.rejects(open(file), (error: Error) => {
        assert.ok(error instanceof SettingsError);
        assert.match(
          error.message,
          /_FILE: cannot use the key encryption key in .*, need 32 bytes/,
        );
        assert.ok(!error.message.includes("hunter2") && !error.message.includes(text));
        return true;
      });
    });
  }

  it("is refused when it cannot be read", async () => {
    const path = await folder("no file");
    await assert.rejects(open(path), wrongFile(/cannot read the key encryption key in .*: EISDIR/));
  });
});
