import assert from "node:assert/strict";
import { it } from "node:test";
import type { Logger } from "@stowage/process";
import type { KoaContextWithOIDC } from "oidc-provider";
import { answerFault } from "./error-answers.ts";

it("a fault is logged without the path, in which there may be what only a browser knows", () => {
  const logged: unknown[] = [];
  const logger = { error: (...entry: unknown[]) => logged.push(entry) } as unknown as Logger;
  const ctx = { path: "/auth/a-secret", url: "/auth/a-secret", oidc: { route: "token" } };
  const error = new Error("cause");
  answerFault(ctx as unknown as KoaContextWithOIDC, error, logger);
  assert.deepEqual(logged, [[{ err: error, route: "token" }, "cannot answer a request"]]);
});
