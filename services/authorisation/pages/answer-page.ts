/** Answers with a page. Its headers forbid frames, caches and scripts. */
import { hash } from "node:crypto";
import { type Html, html } from "./html.ts";
import { style } from "./style.ts";

/** The parts in which pages differ. */
export interface Page {
  title: string;
  body: Html;
  /**
   * Whether the page is on the way from a client back to it. The client may have opened it in a
   * popup, whose `window.opener` must survive. Other pages sever it, so that their opener cannot
   * lead the window elsewhere or watch it.
   *
   * The form of such a page may end in a redirect to the client, which may redirect again. Browsers
   * apply `form-action` to all of them, so only the other pages have it.
   */
  leadsBack?: true;
}

/** The part of a Koa context that this uses. */
interface PageContext {
  status: number;
  type: string;
  body: unknown;
  set(headers: Record<string, string>): void;
}

const styleHash = hash("sha256", style, "base64");

/** Answers with a page. */
export function answerPage(ctx: PageContext, status: number, page: Page): void {
  ctx.status = status;
  ctx.type = "text/html; charset=utf-8";
  ctx.set(pageHeaders);
  if (page.leadsBack !== true) ctx.set(headersOfEnds);
  ctx.body = textOf(page);
}

const policy =
  `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; ` +
  "base-uri 'none'";

const headersOfEnds = {
  "Content-Security-Policy": `${policy}; form-action 'self'`,
  "Cross-Origin-Opener-Policy": "same-origin",
};

const pageHeaders = {
  "Content-Security-Policy": policy,
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  // With no-referrer, browsers would not send the origin of a form.
  "Referrer-Policy": "same-origin",
};

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
