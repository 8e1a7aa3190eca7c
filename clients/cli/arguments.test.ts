import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { TextFilterSchema } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketRefSchema } from "@stowage/api/svc/api/v1/references_pb";
import {
  bucketRefOf,
  parseDuration,
  parseTime,
  parseUrl,
  parseWhole,
  splitPath,
  textFilterOf,
} from "./arguments.ts";

describe("splitPath()", () => {
  const paths: [path: string, folder: string, name: string][] = [
    ["/photos/2026/cat.jpg", "/photos/2026", "cat.jpg"],
    ["photos/2026/", "/photos", "2026"],
    ["cat.jpg", "/", "cat.jpg"],
    ["/", "/", ""],
    ["", "/", ""],
  ];
  for (const [path, folder, name] of paths) {
    it(`splits ${JSON.stringify(path)}`, () => assert.deepEqual(splitPath(path), { folder, name }));
  }
});

describe("parseTime()", () => {
  const timeOf = (moment: "first" | "last", text: string) =>
    toJson(TimestampSchema, parseTime(moment)(text));

  it("keeps all digits of a time", () => {
    assert.equal(
      timeOf("first", "2026-11-21T12:00:00.123456789Z"),
      "2026-11-21T12:00:00.123456789Z",
    );
    assert.equal(timeOf("last", "2026-11-21T12:00:00+01:00"), "2026-11-21T11:00:00Z");
  });

  it("takes a date as the whole day", () => {
    assert.equal(timeOf("first", "2026-11-21"), "2026-11-21T00:00:00Z");
    assert.equal(timeOf("last", "2026-11-21"), "2026-11-21T23:59:59.999999999Z");
  });

  for (const text of ["", "yesterday", "2026-13-01", "2026-11-21T12:00:00", "21.11.2026"]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseTime("first")(text), /Need a time/);
    });
  }
});

describe("parseDuration()", () => {
  it("reads seconds, minutes, hours and days", () => {
    const texts = ["90s", "30m", "2h", "7d"];
    assert.deepEqual(texts.map(parseDuration(1, 604_800)), [90, 1800, 7200, 604_800]);
  });
  for (const text of ["8d", "0s", "8", "", "-1d", "1.5h", "1w"]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseDuration(1, 604_800)(text), /Need 1s to 7d, as/);
    });
  }
  it("gives the limits in the largest unit that divides them", () => {
    assert.throws(() => parseDuration(90, 7200)("89s"), /Need 90s to 2h, as/);
  });
});

describe("textFilterOf()", () => {
  const rules: Record<string, object> = {
    "equals:/a": { equals: "/a" },
    "prefix:/a:b": { prefix: "/a:b" },
    "contains:*": { contains: "*" },
    "glob:*.pdf": { glob: "*.pdf" },
    "*.pdf": { glob: "*.pdf" },
    holiday: { contains: "holiday" },
    "https://x": { contains: "https://x" },
    "prefix:": { prefix: "" },
  };
  for (const [text, expected] of Object.entries(rules)) {
    it(`reads ${text}`, () => {
      assert.deepEqual(toJson(TextFilterSchema, textFilterOf(text, false)), expected);
    });
  }

  it("says when case counts", () => {
    const filter = toJson(TextFilterSchema, textFilterOf("A", true));
    assert.deepEqual(filter, { contains: "A", caseSensitive: true });
  });
});

describe("bucketRefOf()", () => {
  it("takes a UUID as an ID, anything else as a host name", () => {
    const id = "0D5BA6F5-3c1e-4f0e-9f0e-2f6f8a1c7b11";
    assert.deepEqual(toJson(BucketRefSchema, bucketRefOf(id)), { bucketId: id });
    assert.deepEqual(toJson(BucketRefSchema, bucketRefOf("a.b")), { hostname: "a.b" });
  });
});

describe("parseWhole()", () => {
  it("reads numbers within the limits", () => {
    assert.equal(parseWhole(1, 1000)("1000"), 1000);
  });
  for (const text of ["0", "1001", "-1", "1.5", "1e2", "", "12345678901"]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseWhole(1, 1000)(text), /from 1 to 1000/);
    });
  }
});

describe("parseUrl()", () => {
  it("keeps an address exactly", () => {
    assert.equal(parseUrl("http://Example.com/auth/"), "http://Example.com/auth/");
  });
  for (const text of ["", "example.com", "ftp://a", "http://a?b", "http://a#b", "http://a b"]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseUrl(text), /Need an http or https address/);
    });
  }
});
