import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { it } from "node:test";

it("the service starts without the client of stores, which takes much memory", async () => {
  const loaded: string[] = [];
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      loaded.push(specifier);
      return nextResolve(specifier, context);
    },
  });
  await import("./service.ts");
  const isOfStores = (specifier: string) => /^@(aws-sdk|smithy)\//.test(specifier);
  assert.ok(loaded.includes("./content/serve-content.ts"));
  assert.deepEqual(loaded.filter(isOfStores), []);
  await import("./content/store-url.ts");
  assert.ok(loaded.some(isOfStores));
  hooks.deregister();
});
