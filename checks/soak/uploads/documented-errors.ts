/** Whether an error answer is one of those that api/errors.md lists. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readError } from "../../conformance/testing/json-caller.ts";
import { root } from "../../testing/programs.ts";
import type { Reply } from "./client.ts";

/** The reason of an error answer, or what is wrong with the answer. */
export type ErrorReader = (reply: Reply) => { reason: string } | { wrong: string };

export async function readDocumentedErrors(): Promise<ErrorReader> {
  const page = await readFile(join(root, "api", "errors.md"), "utf8");
  const documented = new Map<string, string>();
  for (const [, reason = "", code, status] of page.matchAll(row)) {
    documented.set(reason, `${code} ${status}`);
  }
  return (reply) => {
    const { status, code, reason } = errorOf(reply);
    const found = documented.get(reason);
    const got = `${reason || "no reason"} with ${code} ${status}`;
    if (found !== `${code} ${status}`) {
      return { wrong: `got ${got}, need ${found ?? "a reason of api/errors.md"}` };
    }
    if (code === "internal") return { wrong: got };
    if (code === "unavailable" && !retryAfter.test(String(reply.headers["retry-after"]))) {
      return { wrong: `${got}, without Retry-After` };
    }
    return { reason };
  };
}

/** A row of the table: reason, code, HTTP status. */
const row = /^\| `([A-Z_]+)` +\| `([a-z_]+)` +\| (\d{3}) /gm;
const retryAfter = /^[1-9]\d{0,2}$/;

function errorOf({ status, text }: Reply) {
  try {
    return readError({ status, text, headers: new Headers() }).error;
  } catch {
    return { status, code: `no error of Connect (${text.slice(0, 100)})`, reason: "" };
  }
}
