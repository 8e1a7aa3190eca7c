import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { rows } from "./setting-rows.ts";
import { readSettings, type Setting, SettingsError } from "./settings.ts";

interface Case {
  readonly title: string;
  readonly row: Setting<unknown>;
  readonly taken: readonly (readonly [string | undefined, unknown])[];
  readonly refused: readonly (string | undefined)[];
}

const cases: readonly Case[] = [
  {
    title: "host() takes names and addresses",
    row: rows.host(),
    taken: [
      ["::1", "::1"],
      ["0.0.0.0", "0.0.0.0"],
      ["db-1.example.com", "db-1.example.com"],
      [undefined, "127.0.0.1"],
    ],
    refused: ["a b", "http://x", "x".repeat(256)],
  },
  {
    title: "port() takes whole numbers from 0 to 65535",
    row: rows.port(8080),
    taken: [
      ["0", 0],
      ["65535", 65_535],
      [undefined, 8080],
    ],
    refused: ["65536", "-1", "1.5", "0x10", " 80", "1e3", "９"],
  },
  {
    title: "url() takes http addresses exactly as they are",
    row: rows.url("X."),
    taken: [
      ["http://127.0.0.1:8081", "http://127.0.0.1:8081"],
      ["https://A.example.com/x/", "https://A.example.com/x/"],
    ],
    refused: [undefined, "ftp://x", "x", "http://u@h", "http://h/?q", "http://h/#f", "http:// h"],
  },
  {
    title: "url() may be optional",
    row: rows.url("X.", { optional: true }),
    taken: [[undefined, undefined]],
    refused: ["x"],
  },
  {
    title: "text() takes up to 4096 bytes",
    row: rows.text("X.", { default: "d" }),
    taken: [
      [undefined, "d"],
      ["ä".repeat(2048), "ä".repeat(2048)],
    ],
    refused: [`${"ä".repeat(2048)}x`, "a\0b"],
  },
  {
    title: "integer() takes whole numbers within its limits",
    row: rows.integer("X.", { default: 5, min: -1, max: 10 }),
    taken: [
      ["-1", -1],
      ["10", 10],
      ["007", 7],
      [undefined, 5],
    ],
    refused: ["11", "-2", "ten", "1_0"],
  },
  {
    title: "milliseconds() takes no less than nothing",
    row: rows.milliseconds("X.", { default: 30_000, max: 60_000 }),
    taken: [["0", 0]],
    refused: ["-1", "60001", "30s"],
  },
  {
    title: "logLevel() takes the levels",
    row: rows.logLevel(),
    taken: [
      ["debug", "debug"],
      [undefined, "info"],
    ],
    refused: ["verbose", "INFO"],
  },
  {
    title: "databaseUrl() takes PostgreSQL addresses",
    row: rows.databaseUrl(),
    taken: [
      ["postgresql://u:p@h:5432/d", "postgresql://u:p@h:5432/d"],
      ["postgresql://h/d?sslmode=require&a=b", "postgresql://h/d?sslmode=verify-full&a=b"],
      ["postgresql://h/d?a=b&sslmode=no-verify", "postgresql://h/d?a=b&sslmode=no-verify"],
      [
        "postgresql://h/d?uselibpqcompat=true&sslmode=require",
        "postgresql://h/d?uselibpqcompat=true&sslmode=require",
      ],
      ["postgres:///d?host=/run/postgresql", "postgres:///d?host=/run/postgresql"],
      ["postgresql://u:gr%C3%BCn%2f@h/d", "postgresql://u:gr%C3%BCn%2f@h/d"],
      ["postgresql://u:100%@h/d", "postgresql://u:100%@h/d"],
      [undefined, undefined],
    ],
    refused: ["mysql://h/d", "h", "postgresql://[/d"],
  },
  {
    title: "dataDir() tells whether anybody chose it",
    row: rows.dataDir(),
    taken: [
      [undefined, { path: resolve("data"), isDefault: true }],
      ["./data", { path: resolve("data"), isDefault: false }],
      ["/srv/x", { path: "/srv/x", isDefault: false }],
    ],
    refused: ["x".repeat(4097), "a\0b"],
  },
];

for (const { title, row, taken, refused } of cases) {
  describe(title, () => {
    for (const [text, value] of taken) {
      it(`takes ${show(text)}`, () => {
        assert.deepEqual(readSettings({ X: row }, { X: text }), { x: value });
      });
    }
    for (const text of refused) {
      it(`refuses ${show(text)}`, () => {
        assert.throws(() => readSettings({ X: row }, { X: text }), SettingsError);
      });
    }
  });
}

function show(text: string | undefined): string {
  return text === undefined ? "nothing" : JSON.stringify(text.slice(0, 50));
}
