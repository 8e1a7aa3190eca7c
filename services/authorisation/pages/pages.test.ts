import assert from "node:assert/strict";
import { it } from "node:test";
import { html } from "./html.ts";

it("values are escaped, lists are joined, and false is empty", () => {
  const nasty = `<b a="1">'&`;
  const { text } = html`<p title="${nasty}">${[nasty, 1]}${false}${undefined}${html`<i>`}</p>`;
  const escaped = "&#60;b a=&#34;1&#34;&#62;&#39;&#38;";
  assert.equal(text, `<p title="${escaped}">${escaped}1<i></p>`);
});
