import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";

export interface Http2Answer {
  headers: IncomingHttpHeaders;
  text: string;
}

/** One POST over cleartext HTTP/2, without asking over HTTP/1.1 first. */
export async function callHttp2(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Http2Answer> {
  const session = connect(url);
  try {
    const stream = session.request({ ":method": "POST", ...headers });
    stream.end(body);
    const [answered] = (await once(stream, "response")) as [IncomingHttpHeaders];
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    return { headers: answered, text };
  } finally {
    session.close();
  }
}
