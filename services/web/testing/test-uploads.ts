/** An uploads service in the test process, which keeps what it was asked. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { text } from "node:stream/consumers";
import { type ListeningServer, listen } from "@stowage/process/testing";

interface AskedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class TestUploads {
  readonly url: string;
  readonly asked: AskedRequest[] = [];
  /** Answers requests whose token is accepted. */
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"uploads":[]}');
  };
  readonly close: () => Promise<void>;

  private constructor(server: ListeningServer) {
    this.url = server.url;
    this.close = server.close;
  }

  /** @param accepted the access tokens that it accepts */
  static async start(accepted: ReadonlySet<string>): Promise<TestUploads> {
    const found: { uploads?: TestUploads } = {};
    const server = createServer(async (request, response) => {
      const { method = "", url = "", headers } = request;
      found.uploads?.asked.push({ method, url, headers, body: await text(request) });
      if (accepted.has(headers.authorization?.replace("Bearer ", "") ?? "")) {
        found.uploads?.answer(request, response);
      } else {
        response.writeHead(401, { "content-type": "application/json", "www-authenticate": "x" });
        response.end('{"code":"unauthenticated","message":"the token is refused","details":[]}');
      }
    });
    found.uploads = new TestUploads(await listen(server));
    return found.uploads;
  }
}
