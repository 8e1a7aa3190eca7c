import assert from "node:assert/strict";
import { it } from "node:test";
import type { Logger } from "@stowage/process";
import type { KoaContextWithOIDC } from "oidc-provider";
import { answerFaults } from "./error-answers.ts";

it("a fault is logged without the path, which may contain a secret of the browser", async () => {
  const logged: unknown[] = [];
  const logger = { error: (...entry: unknown[]) => logged.push(entry) } as unknown as Logger;
  const ctx = { path: "/auth/a-secret", url: "/auth/a-secret", oidc: { route: "token" } };
  const error = new Error("cause");
  await answerFaults(logger)(ctx as unknown as KoaContextWithOIDC, () => Promise.reject(error));
  assert.deepEqual(logged, [[{ err: error, route: "token" }, "cannot answer a request"]]);
});
