import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { ask } from "./read-secrets.ts";

/** Ctrl-C, as a terminal sends it while readline reads single keys. */
const controlC = "\u0003";

describe("ask()", () => {
  it("gives the line", async () => {
    const terminal = new PassThrough();
    const asked = ask(terminal, "Password: ", new AbortController().signal);
    terminal.write("correct horse\r");
    assert.equal(await asked, "correct horse");
  });

  it("ends on Ctrl-C, which stops a program as the signal does", async () => {
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    const terminal = new PassThrough();
    const asked = ask(terminal, "Password: ", stop.signal);
    terminal.write(controlC);
    await assert.rejects(asked, { name: "AbortError" });
  });
});
