/** A browser without JavaScript: it keeps cookies, follows redirects and submits forms. */

export interface Page {
  readonly url: string;
  readonly text: string;
  /** 0 for the address of another origin, which is not opened. */
  readonly status: number;
}

export class FormBrowser {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  /** Opens an address, and follows redirects and pages that go on, within its origin. */
  async open(url: string, init: RequestInit = {}): Promise<Page> {
    const headers = { cookie: this.#cookiesFor(url), accept: "text/html" };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const text = await response.text();
    const goesOn = response.headers.get("refresh")?.replace(/^0; url=/, "");
    const location = response.headers.get("location") ?? goesOn;
    if (location === undefined) return { url, text, status: response.status };
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) return { url: next.href, text: "", status: 0 };
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
