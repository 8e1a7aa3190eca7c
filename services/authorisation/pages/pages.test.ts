import assert from "node:assert/strict";
import { it } from "node:test";
import { answerPage } from "./answer-page.ts";
import { html } from "./html.ts";

it("values are escaped, lists are joined, and false is empty", () => {
  const nasty = `<b a="1">'&`;
  const { text } = html`<p title="${nasty}">${[nasty, 1]}${false}${undefined}${html`<i>`}</p>`;
  const escaped = "&#60;b a=&#34;1&#34;&#62;&#39;&#38;";
  assert.equal(text, `<p title="${escaped}">${escaped}1<i></p>`);
});

const sources = {
  "https://page.example/callback?a=b": "https://page.example",
  "http://127.0.0.1:8400/": "http://127.0.0.1:8400",
  "http://[::1]:8400/": "http:",
  "com.example.app:/callback": "com.example.app:",
};

it("the Content-Security-Policy names the addresses that forms may redirect to", () => {
  for (const [address, source] of Object.entries(sources)) {
    const sent: Record<string, string> = {};
    const ctx = {
      status: 0,
      type: "",
      body: undefined,
      set: (headers: Record<string, string>) => Object.assign(sent, headers),
    };
    answerPage(ctx, 200, { title: "t", body: html`` }, [address]);
    const policy = sent["Content-Security-Policy"] ?? "";
    assert.ok(policy.includes(`form-action 'self' ${source};`), policy);
  }
});
