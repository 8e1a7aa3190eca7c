import assert from "node:assert/strict";
import { it } from "node:test";
import { startBareProvider } from "../testing/bare-provider.ts";
import { redirectLogoutForms } from "./logout-forms.ts";

const form = { client_id: "app", state: "a b" };

it("oidc-provider takes logout requests by GET only", async () => {
  await using bare = await startBareProvider();
  assert.equal((await bare.browse("/session/end", form)).status, 404);
});

it("a form becomes a redirect to the same request", async () => {
  await using bare = await startBareProvider({}, (provider) =>
    provider.use(redirectLogoutForms("https://login.example/session/end", "/session/end")),
  );
  const response = await bare.browse("/session/end", form);
  assert.deepEqual(
    [response.status, response.headers.get("location")],
    [303, "https://login.example/session/end?client_id=app&state=a+b"],
  );
  assert.equal((await bare.browse("/session/end?client_id=app")).status, 200);
});
