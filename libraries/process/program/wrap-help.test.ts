import assert from "node:assert/strict";
import { it } from "node:test";
import { helpWidth, wrapHelp } from "./wrap-help.ts";

it("prose is wrapped anew, paragraph by paragraph", () => {
  const text = `
The place that the source mirrors
is not touched. If the command is interrupted, the source stays.

Run it again.
`;
  const wrapped = `
The place that the source mirrors is not
touched. If the command is interrupted,
the source stays.

Run it again.
`;
  assert.equal(wrapHelp(text, 40), wrapped);
});

it("explanations in a list are wrapped with a hanging indent", () => {
  const text = `Settings:
  PORT      Port to listen on; 0 lets the system choose,
            which is for tests. (default: 8080)
  LOG_LEVEL
  DATA_DIR  Folder of the database.`;
  const wrapped = `Settings:
  PORT      Port to listen on; 0 lets the system
            choose, which is for tests. (default:
            8080)
  LOG_LEVEL
  DATA_DIR  Folder of the database.`;
  assert.equal(wrapHelp(text, 52), wrapped);
});

it("commands stay as they are", () => {
  const text = `Examples:
  stowage sources add s3 s3://acme-photos --bucket photos.example.com \\
    --name photos
  stowage sources sync photos`;
  assert.equal(wrapHelp(text, 50), text);
});

it("lines stay long where there is little room", () => {
  const text = `  ${"x".repeat(30)}  an explanation of some words, longer than the terminal`;
  assert.equal(wrapHelp(text, 60), text);
});

it("the width is that of the terminal, up to a limit, and 80 without one", () => {
  assert.deepEqual([{ columns: 60 }, { columns: 300 }, {}].map(helpWidth), [60, 100, 80]);
});
