import assert from "node:assert/strict";
import { it } from "node:test";
import type { KoaContextWithOIDC } from "oidc-provider";
import { answerFailure } from "./sign-in-pages.ts";

it("a failure is logged with its page, and without the ID of an interaction", () => {
  const id = "a".repeat(43);
  const logged = ["/account", "/sign-in-link", `/interaction/${id}`].map((path) => {
    const lines: { path?: string }[] = [];
    const ctx = { path, set: () => {} } as unknown as KoaContextWithOIDC;
    answerFailure(ctx, new Error("a bug"), (_, where) => lines.push(where));
    return lines[0]?.path;
  });
  assert.deepEqual(logged, ["/account", "/sign-in-link", "/interaction"]);
});
