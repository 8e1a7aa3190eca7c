/** A page that only says something. */
import type { Page } from "./answer-page.ts";
import { html } from "./html.ts";

/** Says what is the matter, and what whoever reads it can do. */
export function messagePage(title: string, ...paragraphs: readonly string[]): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
${paragraphs.map((text) => html`<p>${text}</p>\n`)}`,
  };
}
