import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  bytesOfKey,
  compareKeys,
  decodeKey,
  externalPathOf,
  type Key,
  KeyError,
  keyOfBytes,
  keyOfPath,
  type Mount,
  pathOfKey,
} from "./keys.ts";

const root: Mount = { prefix: "", mountPath: "/" };
const bytes = (latin1: string) => keyOfBytes(Buffer.from(latin1, "latin1"));

/** The key with size 1, as `path` and `filename`. */
const paths: [what: string, key: Key, path: string, filename: string][] = [
  ["keeps an ordinary key", "a/b c+d.txt", "/a", "b c+d.txt"],
  ["keeps what is no escape", "100%/5%x/%%", "/100%/5%x", "%%"],
  ["keeps any valid UTF-8", "é/\u0001/e\u0301/😀\n", "/é/\u0001/e\u0301", "😀\n"],
  ["writes empty segments as %", "//a//b", "/%/%/a/%", "b"],
  ["writes an object that ends with / and has content as %", "a/", "/a", "%"],
  ["writes . and .. with their bytes", "./../...", "/%2E/%2E%2E", "..."],
  ["writes a segment % as %25", "%/%", "/%25", "%25"],
  ["writes every % of what looks like an escape as %25", "%2E/%a%fF", "/%252E", "%25a%25fF"],
  ["writes U+0000 as %00, and the % beside it", "a\0%", "/", "a%00%25"],
  ["writes bytes that are not UTF-8", bytes("\xffa%/\xe2\x82b"), "/%FFa%25", "%E2%82b"],
  ["writes surrogates and long forms", bytes("\xed\xa0\x80/\xc0\xaf"), "/%ED%A0%80", "%C0%AF"],
  ["keeps the valid part of a wrong key", bytes("\xc3\xa9\xff"), "/", "é%FF"],
];

describe("the path of a key", () => {
  for (const [what, key, path, filename] of paths) {
    it(what, () => {
      assert.deepEqual(pathOfKey(key, 1, root), { path, filename });
      assert.deepEqual(keyOfPath({ path, filename }, root), key);
    });
  }

  it("is a folder if the key ends with / and the object is empty", () => {
    for (const [key, path] of [
      ["a/b/", "/a/b"],
      ["/", "/%"],
      ["a//", "/a/%"],
      ["%/", "/%25"],
    ] as const) {
      assert.deepEqual(pathOfKey(key, 0, root), { path, filename: undefined });
      assert.equal(keyOfPath({ path, filename: undefined }, root), key);
    }
    assert.deepEqual(pathOfKey("a", 0, root), { path: "/", filename: "a" });
  });

  it("is under the mount folder, without the prefix, which is the mount folder itself", () => {
    const mount = { prefix: "x/é/", mountPath: "/m/n" };
    assert.deepEqual(pathOfKey("x/é/a/b", 1, mount), { path: "/m/n/a", filename: "b" });
    assert.deepEqual(pathOfKey(bytes("x/\xc3\xa9/\xff"), 1, mount), {
      path: "/m/n",
      filename: "%FF",
    });
    assert.deepEqual(pathOfKey("x/é/", 0, mount), { path: "/m/n", filename: undefined });
    assert.deepEqual(pathOfKey("x/é/", 1, mount), { path: "/m/n", filename: "%" });
    assert.equal(keyOfPath({ path: "/m/n", filename: undefined }, mount), "x/é/");
  });

  it("inverts, has no segment that a path may not have, and differs for different keys", () => {
    const mounts = fc.constantFrom(
      root,
      { prefix: "", mountPath: "/m" },
      { prefix: "p/", mountPath: "/" },
      { prefix: "//", mountPath: "/%/m" },
    );
    fc.assert(
      fc.property(fc.uniqueArray(arbitraryKey, { maxLength: 20 }), mounts, (keys, mount) => {
        const seen = new Map<string, Key>();
        for (const inner of keys) {
          const key = keyOfBytes(Buffer.concat([Buffer.from(mount.prefix), bytesOfKey(inner)]));
          for (const size of [0, 1]) {
            const found = pathOfKey(key, size, mount);
            assert.deepEqual(keyOfPath(found, mount), key);
            const text = JSON.stringify([found.path, found.filename]);
            const other = seen.get(text);
            assert.ok(other === undefined || compareKeys(other, key) === 0, text);
            seen.set(text, key);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const piece = fc.constantFrom("/", "/", ".", "%", "2", "E", "e", "\0", "\x01", "a", "é", "😀");
const brokenPiece = fc.constantFrom("\xff", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "%", "F", "/");

/** Keys near each other and near what escapes look like. */
const arbitraryKey: fc.Arbitrary<Key> = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.array(brokenPiece, { maxLength: 8 }).map((pieces) => bytes(pieces.join(""))),
);

describe("a key that the index cannot hold", () => {
  it("has too many segments", () => {
    assert.throws(() => pathOfKey("a/".repeat(513), 1, root), {
      name: "KeyError",
      message: "its path has 513 segments; need at most 512",
    });
    assert.equal(pathOfKey("a/".repeat(512), 1, root).filename, "%");
  });

  it("has a path that is too long", () => {
    const mount = { prefix: "", mountPath: "/mount" };
    assert.throws(() => pathOfKey(`${"a".repeat(1018)}/b`, 1, mount), {
      name: "KeyError",
      message: "its path is 1025 bytes; need at most 1024",
    });
    assert.doesNotThrow(() => pathOfKey(`${"a".repeat(1017)}/b`, 1, mount));
  });

  it("has a name that is too long once it is escaped", () => {
    const name = `${"a".repeat(1021)}%2E`;
    assert.throws(
      () => pathOfKey(name, 1, root),
      new KeyError("its name takes 1026 bytes in the index; need at most 1024"),
    );
    assert.equal(pathOfKey("a".repeat(1024), 1, root).filename?.length, 1024);
  });
});

describe("keys", () => {
  it("are compared by their bytes", () => {
    fc.assert(
      fc.property(arbitraryKey, arbitraryKey, (a, b) => {
        const expected = Buffer.compare(bytesOfKey(a), bytesOfKey(b));
        assert.equal(compareKeys(a, b), expected);
      }),
    );
    assert.equal(compareKeys("\uffff", "😀"), -1);
  });

  it("are shown as text that the index can store", () => {
    assert.equal(externalPathOf("a/%2E/é"), "a/%2E/é");
    assert.equal(externalPathOf("a\0"), "a%00");
    assert.equal(externalPathOf(bytes("%\xff\xc3\xa9\0")), "%%FFé%00");
  });
});

describe("a key in percent-encoding", () => {
  for (const [encoded, key] of [
    ["a/b", "a/b"],
    ["a%20b+c%2Bd", "a b c+d"],
    ["%C3%BC%f0%9f%99%82%00", "ü🙂\0"],
    ["100%+%zz%20", "100% %zz "],
    ["%FFa%C3%BC", Buffer.from("ff61c3bc", "hex")],
    // Half of a surrogate pair is not UTF-8.
    ["%ED%A0%80", Buffer.from("eda080", "hex")],
  ] as const) {
    it(`is decoded: ${encoded}`, () => assert.deepEqual(decodeKey(encoded), key));
  }
});
