import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFormats, formatName } from "./format.ts";

const english = createFormats("en-GB", "Europe/London");
const german = createFormats("de-DE", "Europe/Berlin");

describe("formatSize()", () => {
  const shown: [sizeBytes: bigint | number, text: string][] = [
    [0n, "0 B"],
    [1023, "1,023 B"],
    [1024n, "1.0 KiB"],
    [10_189, "10 KiB"],
    [314n * 1024n ** 2n, "314 MiB"],
    [1024n * 1024n - 1n, "1.0 MiB"],
    [2n ** 53n - 1n, "8.0 PiB"],
    [2n ** 63n, "8,192 PiB"],
  ];
  for (const [sizeBytes, text] of shown) {
    it(`shows ${sizeBytes} as ${text}`, () => {
      assert.equal(english.formatSize(sizeBytes), text.replace(" ", "\u00a0"));
    });
  }

  it("writes numbers as the reader's locale does", () => {
    assert.equal(german.formatSize(1536), "1,5\u00a0KiB");
    assert.equal(createFormats("ar-EG").formatSize(512), "٥١٢\u00a0B");
  });
});

describe("formatCount()", () => {
  it("groups digits as the reader's locale does", () => {
    assert.equal(english.formatCount(1_234_567n), "1,234,567");
    assert.equal(german.formatCount(1_234_567), "1.234.567");
  });
});

describe("formatDateTime()", () => {
  const timeMs = Date.parse("2026-11-22T23:30:59Z");

  it("shows the reader's day and time", () => {
    assert.equal(english.formatDateTime(timeMs), "22 Nov 2026, 23:30");
    assert.equal(german.formatDateTime(timeMs), "23.11.2026, 00:30");
  });

  it("shows nothing without a time", () => assert.equal(english.formatDateTime(undefined), ""));
});

describe("formatName()", () => {
  it("shows ordinary names as they are", () => {
    assert.equal(formatName("Grüße 🙂 שלום a%_\\.txt"), "Grüße 🙂 שלום a%_\\.txt");
  });

  it("makes characters visible that hide or turn text", () => {
    assert.equal(formatName("gpj.\u202eexe"), "gpj.\\u{202e}exe");
    assert.equal(formatName("a\nb\0\ud800\u2028"), "a\\u{a}b\\u{0}\\u{d800}\\u{2028}");
  });

  it("makes characters visible that take no space", () => {
    assert.equal(formatName("in\u200bvoice\ufeff.pdf"), "in\\u{200b}voice\\u{feff}.pdf");
    assert.equal(formatName("\u3164\u00ad"), "\\u{3164}\\u{ad}");
  });

  it("leaves characters that shape others", () => {
    const persian = "می\u200cخواهم";
    const [heart, family, flag] = ["❤\ufe0f", "👩\u200d👧", "🏴\u{e0067}\u{e0062}\u{e007f}"];
    for (const name of [persian, heart, family, flag]) assert.equal(formatName(name), name);
  });
});
