import assert from "node:assert/strict";
import { it } from "node:test";
import { startBareProvider } from "../testing/bare-provider.ts";
import { replaceScriptPages } from "./script-pages.ts";

it("oidc-provider continues a logout of nobody by a script", async () => {
  await using bare = await startBareProvider();
  const page = await (await bare.browse("/session/end")).text();
  assert.ok(page.includes("<script>") && page.includes('name="xsrf"'));
});

it("a page without a script takes its place, with the same secret", async () => {
  await using bare = await startBareProvider({}, (provider) =>
    provider.use(
      replaceScriptPages({
        end_session: (ctx) => {
          ctx.body = `our page ${ctx.oidc.session?.state?.secret}`;
        },
        resume: () => assert.fail("this is no sign-in"),
      }),
    ),
  );
  assert.match(await (await bare.browse("/session/end")).text(), /^our page \w+$/);
});
