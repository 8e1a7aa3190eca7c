import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { describeSettings, readSettings, rows, SettingsError, setting } from "../index.ts";

const table = {
  HOST: rows.host(),
  PORT: rows.port(8080),
  AUTH_URL: rows.url("Issuer of the tokens."),
  DATABASE_URL: rows.databaseUrl(),
  CLIENT_SECRET: rows.secret("Proves who we are.", { optional: true }),
  PAGE_SIZE: setting(
    z.enum(["small", "large"], { error: "small or large" }).optional(),
    "How much.",
  ),
};

describe("readSettings()", () => {
  it("gives values by camelCase name, defaults where nothing is set", () => {
    const settings = readSettings(table, { AUTH_URL: "https://auth.example.com", OTHER: "x" });
    assert.deepEqual(settings, {
      host: "127.0.0.1",
      port: 8080,
      authUrl: "https://auth.example.com",
      databaseUrl: undefined,
      clientSecret: undefined,
      pageSize: undefined,
    });
    const port: number = settings.port;
    assert.equal(port, 8080);
  });

  it("treats an empty text as missing", () => {
    const settings = readSettings(table, { AUTH_URL: "http://a", PORT: "", DATABASE_URL: "" });
    assert.equal(settings.port, 8080);
    assert.equal(settings.databaseUrl, undefined);
  });

  it("reports every error, each in one line", () => {
    const environment = { PORT: "abc", PAGE_SIZE: "medium", HOST: "two words" };
    assert.throws(
      () => readSettings(table, environment),
      new SettingsError([
        'HOST: got "two words", need a host name or an IP address',
        'PORT: got "abc", need a port number from 0 to 65535',
        "AUTH_URL: got nothing, need an http or https address without user name, query or fragment",
        'PAGE_SIZE: got "medium", need small or large',
      ]),
    );
  });

  it("keeps secrets out of its messages", () => {
    const environment = {
      AUTH_URL: "https://user:hunter2@auth.example.com",
      DATABASE_URL: "mysql://user:hunter2@host/db",
      CLIENT_SECRET: "hunter2".repeat(1000),
    };
    assert.throws(
      () => readSettings(table, environment),
      (error: Error) => {
        assert.match(error.message, /AUTH_URL: got "https:\/\/…@auth\.example\.com"/);
        assert.match(error.message, /DATABASE_URL: got a value that is kept secret/);
        assert.match(error.message, /CLIENT_SECRET: got a value that is kept secret/);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });

  it("keeps a password out of its messages that should have been encoded", () => {
    for (const password of ["hunter/2", "hunter@2", "hunter\n2"]) {
      assert.throws(
        () => readSettings(table, { AUTH_URL: `http://user:${password}@host` }),
        new SettingsError([
          'AUTH_URL: got "http://…@host", need an http or https address without user name, ' +
            "query or fragment",
        ]),
      );
    }
  });

  it("shortens long values and escapes control characters", () => {
    assert.throws(
      () => readSettings({ PORT: rows.port(1) }, { PORT: `\u001b[31m${"9".repeat(10_000)}` }),
      (error: Error) => error.message.length < 250 && !error.message.includes("\u001b"),
    );
  });
});

it("describeSettings() tells the default of the data folder", () => {
  const meaning =
    "Folder of the embedded database and, by default, of the files with encryption keys.";
  const text = `  DATA_DIR  ${meaning} (default: ./data)\n`;
  assert.equal(describeSettings({ DATA_DIR: rows.dataDir() }), text);
});

it("describeSettings() lists name, description and what holds without a value", () => {
  assert.equal(
    describeSettings(table),
    [
      "  HOST           Address to listen on. (default: 127.0.0.1)\n",
      "  PORT           Port to listen on; 0 lets the system choose. (default: 8080)\n",
      "  AUTH_URL       Issuer of the tokens. (required)\n",
      "  DATABASE_URL   PostgreSQL 15 or newer; ",
      "without it an embedded one runs under DATA_DIR. (optional)\n",
      "  CLIENT_SECRET  Proves who we are. (optional)\n",
      "  PAGE_SIZE      How much. (optional)\n",
    ].join(""),
  );
});
