/** A browser with one script: keeps cookies, follows redirects, and sends forms. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";

/** The page that it shows. */
export interface Visited {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/** Makes a browser without cookies. */
export class TestBrowser {
  /** By name and path: a cookie of another path is another cookie (RFC 6265 section 5.3). */
  readonly cookies = new Map<string, { name: string; value: string; path: string }>();
  readonly #send: typeof sendExactly | typeof fetch;

  /** @param send how it sends requests; `fetch` adds headers of its own */
  constructor(send: typeof sendExactly | typeof fetch = fetch) {
    this.#send = send;
  }

  /**
   * Opens an address, follows redirects and pages whose form sends itself. Returns the address of
   * another origin unopened: no server listens there.
   */
  async open(url: string, init: RequestInit = {}, origin = new URL(url).origin): Promise<Visited> {
    if (new URL(url).origin !== origin) {
      return { url, status: 0, headers: new Headers(), text: "" };
    }
    const headers = { cookie: this.#cookiesFor(url), accept: "text/html", ...init.headers };
    const response = await this.#send(url, { redirect: "manual", ...init, headers });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const text = await response.text();
    const location = response.headers.get("location");
    if (location !== null) return await this.open(new URL(location, url).href, {}, origin);
    const visited = { url, status: response.status, headers: response.headers, text };
    if (!text.includes("document.forms[0].submit()")) return visited;
    const [, action = ""] = /<form method="post" action="([^"]*)"/.exec(text) ?? [];
    if (new URL(action).origin !== origin) return visited;
    const fields = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
    const form = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
    return await this.submit({ ...visited, url: action }, form);
  }

  /** Sends the form of a page to the address of the page. */
  async submit({ url }: Visited, fields: Record<string, string>): Promise<Visited> {
    const { origin } = new URL(url);
    const headers = { origin, "sec-fetch-site": "same-origin" };
    return await this.open(url, { method: "POST", body: new URLSearchParams(fields), headers });
  }

  #cookiesFor(url: string): string {
    const { pathname } = new URL(url);
    const sent = [...this.cookies.values()].filter(({ path }) => pathname.startsWith(path));
    return sent.map(({ name, value }) => `${name}=${value}`).join("; ");
  }

  #keep(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split("; ");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const path = attributes.find((attribute) => attribute.startsWith("path="))?.slice(5) ?? "/";
    const key = `${name} ${path}`;
    if (value === "") this.cookies.delete(key);
    else this.cookies.set(key, { name, value, path });
  }
}

/** Sends a request with exactly these headers, where `fetch` replaces `Sec-Fetch-Mode`. */
export async function sendExactly(url: string, init: RequestInit): Promise<Response> {
  const body = init.body === undefined ? undefined : String(init.body);
  const form = { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
  const headers = {
    ...(body !== undefined && form),
    ...Object.fromEntries(new Headers(init.headers)),
  };
  const request = httpRequest(url, { method: init.method ?? "GET", headers });
  request.end(body);
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const text = await readText(answer);
  const answered = Object.entries(answer.headersDistinct);
  const pairs = answered.flatMap(([name, values = []]) => values.map((value) => [name, value]));
  return new Response(text === "" ? null : text, {
    status: answer.statusCode ?? 0,
    headers: pairs as [string, string][],
  });
}
