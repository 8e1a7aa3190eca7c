/** Answers with a page. Its headers forbid frames, caches and scripts. */
import { hash } from "node:crypto";
import { type Html, html } from "./html.ts";
import { style } from "./style.ts";

/** The parts in which pages differ. */
export interface Page {
  title: string;
  body: Html;
}

/** The part of a Koa context that this uses. */
interface PageContext {
  status: number;
  type: string;
  body: unknown;
  set(headers: Record<string, string>): void;
}

const styleHash = hash("sha256", style, "base64");

/**
 * Answers with a page.
 *
 * @param leadsTo addresses that the forms of the page may redirect to: browsers apply the
 *   Content-Security-Policy to redirects too
 */
export function answerPage(
  ctx: PageContext,
  status: number,
  page: Page,
  leadsTo: readonly string[] = [],
): void {
  ctx.status = status;
  ctx.type = "text/html; charset=utf-8";
  ctx.set(pageHeaders(leadsTo));
  ctx.body = textOf(page);
}

function pageHeaders(leadsTo: readonly string[]): Record<string, string> {
  const formAction = ["'self'", ...leadsTo.map(sourceOf)].join(" ");
  return {
    "Content-Security-Policy":
      `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formAction}; ` +
      "frame-ancestors 'none'; base-uri 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    // With no-referrer, browsers would not send the origin of a form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
  };
}

/** An address as a source of a Content-Security-Policy, which allows no IPv6 addresses. */
function sourceOf(address: string): string {
  const { protocol, hostname, origin } = new URL(address);
  const isNamed = /^https?:$/.test(protocol) && !hostname.startsWith("[");
  return isNamed ? origin : protocol;
}

function textOf({ title, body }: Page): string {
  const head = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
`;
  // The style must be exactly the text that was hashed.
  const { text } = html`</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return `${head.text}<style>${style}</style>\n${text}`;
}

/** A page with a message, and what its reader can do. */
export function messagePage(title: string, ...paragraphs: readonly string[]): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
${paragraphs.map((text) => html`<p>${text}</p>\n`)}`,
  };
}
