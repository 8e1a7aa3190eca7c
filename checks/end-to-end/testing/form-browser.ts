/** A browser without JavaScript: it keeps cookies, follows redirects and submits forms. */

interface Page {
  readonly url: string;
  readonly text: string;
}

export class FormBrowser {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  /** Opens an address and follows redirects within its origin. */
  async open(url: string, init: RequestInit = {}): Promise<Page> {
    const headers = { cookie: this.#cookiesFor(url), accept: "text/html" };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const text = await response.text();
    const location = response.headers.get("location");
    if (location === null) return { url, text };
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) return { url: next.href, text: "" };
    return await this.open(next.href);
  }

  /** Submits the form of a page: its hidden fields, the pressed button, and the typed values. */
  async press(
    { url, text }: Page,
    [button, value]: readonly [name: string, value: string],
    typed: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    const [, action = url] = /<form [^>]*action="([^"]*)"/.exec(text) ?? [];
    const hidden = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
    const fields = Object.fromEntries(Array.from(hidden, ([, name, held]) => [name, held]));
    if (!text.includes(`<button name="${button}" value="${value}"`)) {
      throw new Error(`Cannot press ${button}=${value}: there is none on ${url}: ${text}`);
    }
    const body = new URLSearchParams({ ...fields, ...typed, [button]: value });
    return await this.open(new URL(action, url).href, { method: "POST", body });
  }

  #cookiesFor(url: string): string {
    const { pathname } = new URL(url);
    const sent = [...this.#cookies].filter(([, { path }]) => pathname.startsWith(path));
    return sent.map(([name, { value }]) => `${name}=${value}`).join("; ");
  }

  #keep(cookie: string): void {
    const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
    const [, path = "/"] = /; path=([^;]*)/.exec(cookie) ?? [];
    if (value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path });
  }
}
