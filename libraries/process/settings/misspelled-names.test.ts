import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import type { Logger } from "../logger.ts";
import { isAlmost, warnOfMisspelledNames } from "./misspelled-names.ts";
import { rows } from "./setting-rows.ts";

const table = {
  HOST: rows.host(),
  PORT: rows.port(8080),
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
};

/** Each found name with the setting that is probably meant. */
function warningsFor(environment: Record<string, string>): string[] {
  const warnings: string[] = [];
  const warn = ({ found, setting }: Record<string, string>) => warnings.push(`${found} ${setting}`);
  warnOfMisspelledNames(table, environment, { warn } as unknown as Logger);
  return warnings;
}

for (const [found, setting] of [
  ["DATABASE_ULR", "DATABASE_URL"],
  ["DATABSE_ULR", "DATABASE_URL"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["DATABASEURL", "DATABASE_URL"],
  ["database_url", "DATABASE_URL"],
  ["DATA_DRI", "DATA_DIR"],
  ["DATADIR", "DATA_DIR"],
  ["DATA_DIRS", "DATA_DIR"],
] as const) {
  it(`warns that ${found} is probably ${setting}`, () => {
    assert.deepEqual(warningsFor({ PATH: "/bin", [found]: "x" }), [`${found} ${setting}`]);
    assert.deepEqual(warningsFor({ [found]: "x", [setting]: "y" }), []);
    assert.deepEqual(warningsFor({ [found]: "" }), []);
  });
}

it("does not warn of ordinary names", () => {
  const names = ["HOSTS", "POST", "HOSTNAME", "DATABASE", "DATA", "DATA_DISK", "TEST_DATABASE_URL"];
  for (const name of names) assert.deepEqual(warningsFor({ [name]: "x" }), []);
});

it("no setting of one program is almost that of another: all share an environment", async () => {
  const document = new URL("../../../docs/settings.md", import.meta.url);
  const text = await readFile(document, "utf8");
  const names = new Set(Array.from(text.matchAll(/`([A-Z][A-Z_]+)`/g), ([, name = ""]) => name));
  assert.ok(names.has("PAGE_URL") && names.has("SYNC_METRICS_PORT"));
  const close = [...names].flatMap((name) =>
    [...names].filter((other) => name !== other && isAlmost(name, other)).map((o) => [name, o]),
  );
  assert.deepEqual(close, []);
});
