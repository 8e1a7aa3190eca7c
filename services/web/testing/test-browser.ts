/** A browser that keeps cookies, and sends the headers of browsers, or exactly those of a test. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  /** The reason in a Connect error; undefined for another answer. */
  readonly reason: string | undefined;
}

interface Sending {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** What a browser sends for a window, and for a script of the page itself. */
export const navigation = { "sec-fetch-dest": "document", "sec-fetch-site": "cross-site" };
export const ofPage = { "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin" };
const callHeaders = {
  ...ofPage,
  "connect-protocol-version": "1",
  "content-type": "application/json",
};

export const listUploads = "/svc.api.v1.BucketUploadsService/ListUploads";

export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Sends a request with the browser's cookies and exactly these headers. */
  async send(path: string, { method = "GET", headers = {}, body }: Sending = {}): Promise<Answer> {
    const cookie = [...this.cookies].map((pair) => pair.join("=")).join("; ");
    const request = httpRequest(this.#origin, {
      path,
      method,
      headers: { ...(cookie !== "" && { cookie }), ...headers },
      agent: false,
    });
    request.end(body);
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    const text = (await buffer(answer)).toString();
    for (const each of answer.headers["set-cookie"] ?? []) this.#keep(each);
    const { statusCode: status = 0 } = answer;
    return { status, headers: answer.headers, text, reason: reasonIn(text) };
  }

  /** Opens an address in a window. Redirects are not followed. */
  open(url: string): Promise<Answer> {
    const { pathname, search } = new URL(url, this.#origin);
    return this.send(pathname + search, { headers: navigation });
  }

  /** Calls a method as the page does. */
  call(path = listUploads, headers: OutgoingHttpHeaders = {}, body = "{}"): Promise<Answer> {
    return this.send(path, { method: "POST", headers: { ...callHeaders, ...headers }, body });
  }

  session(): Promise<Answer> {
    return this.send("/session", { headers: ofPage });
  }

  #keep(cookie: string): void {
    const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
    if (value === "") this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function reasonIn(text: string): string | undefined {
  return /"reason":"([A-Z_]+)"/.exec(text)?.[1];
}
