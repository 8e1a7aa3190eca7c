import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { codeToHttpStatus, codeToString } from "@connectrpc/connect/protocol-connect";
import { errorCodes } from "./error-codes.ts";

const errorsPage = readFileSync(new URL("../../../api/errors.md", import.meta.url), "utf8");

describe("api/errors.md", () => {
  it("has a row for every reason in the code, and no other", () => {
    const rows = errorsPage.matchAll(/^\| `([A-Z_]+)` +\| `([a-z_]+)` +\| (\d+) +\|.+\|.+\|$/gm);
    const documented = [...rows].map(([, reason, code, status]) => `${reason} ${code} ${status}`);
    const inCode = Object.entries(errorCodes).map(
      ([reason, { code, httpStatus }]) =>
        `${reason} ${codeToString(code)} ${httpStatus ?? codeToHttpStatus(code)}`,
    );
    assert.deepEqual(documented.sort(), inCode.sort());
  });
});
