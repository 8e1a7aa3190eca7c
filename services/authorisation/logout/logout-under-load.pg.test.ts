import assert from "node:assert/strict";
import { it } from "node:test";
import {
  addActingClient,
  addPerson,
  authorizationRequest,
  runCodeFlow,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService } from "../testing/test-service.ts";

const requestsAtOnce = 6;

it("a session that is in constant use can be ended, and stays ended", async () => {
  await using service = await startTestService();
  const { pool, authUrl } = service;
  const acting = await addActingClient(pool);
  const browser = new TestBrowser();
  const { server } = await runCodeFlow(authUrl, acting, await addPerson(pool), { browser });
  // A thief sends a copy of the cookie.
  const cookie = [...browser.cookies.values()].map((one) => `${one.name}=${one.value}`).join("; ");
  const request = authorizationRequest(server, acting.client, "a".repeat(43), { prompt: "none" });
  const ask = async () => {
    const { headers } = await fetch(request, { headers: { cookie }, redirect: "manual" });
    return new URL(headers.get("location") ?? "").searchParams;
  };
  let answers = 0;
  const stopping = new AbortController();
  const asking = Array.from({ length: requestsAtOnce }, async () => {
    while (!stopping.signal.aborted) {
      await ask();
      answers++;
    }
  });
  const moreAnswers = async () => {
    const enough = answers + 2 * requestsAtOnce;
    while (answers < enough) await ask();
  };
  try {
    await moreAnswers();
    assert.ok((await ask()).has("code"));
    const page = await browser.open(`${authUrl}/session/end`);
    const [, xsrf = ""] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? [];
    await moreAnswers();
    const confirmUrl = `${authUrl}/session/end/confirm`;
    const done = await browser.submit({ ...page, url: confirmUrl }, { xsrf, logout: "yes" });
    assert.match(done.text, /You are signed out/);
    await moreAnswers();
  } finally {
    stopping.abort();
    await Promise.all(asking);
  }
  assert.equal((await ask()).get("error"), "login_required");
});
