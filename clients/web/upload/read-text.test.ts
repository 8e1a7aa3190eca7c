import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { ContentError, failureText, readFailure } from "./content-failure.ts";
import { readText, textBytesMax, textOf } from "./read-text.ts";

const { signal } = new AbortController();

async function withServer(
  answer: RequestListener,
  use: (href: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** An error as the service answers it. */
function refuse(status: number, reason: string, code = "aborted"): RequestListener {
  // google.rpc.ErrorInfo has the reason in field 1.
  const value = Buffer.from([0x0a, reason.length, ...Buffer.from(reason)]).toString("base64");
  const details = [{ type: "google.rpc.ErrorInfo", value }];
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ code, message: "", details }));
  };
}

describe("the preview of a text", () => {
  it("decodes UTF-8 and replaces what is not", () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0xc3, 0xa4, 0xff, 0x0d, 0x0a, 0x09, 0x78);
    assert.equal(textOf(bytes, { isCut: false }), "ä\ufffd\n\tx");
  });

  it("leaves out the character that the end cuts through", () => {
    const bytes = Uint8Array.of(0x78, 0xe2, 0x82);
    assert.equal(textOf(bytes, { isCut: true }), "x");
    assert.equal(textOf(bytes, { isCut: false }), "x\ufffd");
  });

  it("decodes UTF-16 by its byte order mark", () => {
    const littleEndian = Uint8Array.of(0xff, 0xfe, 0xe4, 0x00, 0x3d, 0xd8);
    assert.equal(textOf(littleEndian, { isCut: true }), "ä");
    assert.equal(textOf(littleEndian, { isCut: false }), "ä\ufffd");
    const bigEndian = Uint8Array.of(0xfe, 0xff, 0x00, 0xe4, 0x00, 0x78);
    assert.equal(textOf(bigEndian, { isCut: false }), "äx");
  });

  it("shows characters that would change how the text looks", () => {
    const bytes = new TextEncoder().encode("a\0b\u202ec\r");
    assert.equal(textOf(bytes, { isCut: false }), "a\\u{0}b\\u{202e}c\\u{d}");
  });

  it("asks for the beginning only", async () => {
    await withServer(
      ({ headers }, response) => response.writeHead(206).end(headers.range),
      async (href) => {
        assert.equal(await readText(href, { sizeBytes: 1n, signal }), "bytes=0-262143");
      },
    );
  });

  it("stops reading a server that sends everything", async () => {
    await withServer(
      (_request, response) => {
        const chunk = "x".repeat(100_000);
        const send = () => {
          while (response.write(chunk));
        };
        response.on("drain", send);
        send();
      },
      async (href) => {
        const text = await readText(href, { sizeBytes: 1n << 40n, signal });
        assert.equal(text.length, textBytesMax);
      },
    );
  });

  it("fails with the reason of the service", async () => {
    for (const [status, reason, failure] of [
      [404, "CONTENT_NOT_HELD", "notHeld"],
      [404, "UPLOAD_NOT_FOUND", "gone"],
      [409, "CONTENT_CHANGED", "changed"],
      [400, "CONTENT_ARCHIVED", "archived"],
      [429, "TOO_MANY_CALLS", "tooMany"],
      [503, "CONTENT_UNAVAILABLE", "unavailable"],
      [418, "constructor", "unavailable"],
    ] as const) {
      await withServer(refuse(status, reason), async (href) => {
        await assert.rejects(
          readText(href, { sizeBytes: 1n, signal }),
          (error) => error instanceof ContentError && error.failure === failure,
        );
        assert.equal(await readFailure(href, signal), failure);
      });
    }
  });

  it("is not there for an archived file: the page names its storage class", () => {
    const upload = { intentMetadata: { s3: { storageClass: "GLACIER" } } } as unknown as Upload;
    assert.match(failureText("archived", upload), /^The file is archived\. .* is GLACIER\.$/);
    assert.match(failureText("gone", upload), /no longer have access to it\.$/);
  });

  it("fails as other calls do if the session has ended", async () => {
    const code = "unauthenticated";
    await withServer(refuse(401, "SESSION_ENDED", code), async (href) => {
      await assert.rejects(readText(href, { sizeBytes: 1n, signal }), { code });
      await assert.rejects(readFailure(href, signal), { code });
    });
  });

  it("fails also where something else answers", async () => {
    await withServer(
      (_request, response) => response.writeHead(502).end("<h1>Bad gateway</h1>"),
      async (href) => assert.equal(await readFailure(href, signal), "unavailable"),
    );
  });

  it("takes an empty file for content", async () => {
    await withServer(
      (_request, response) => response.writeHead(416).end(),
      async (href) => assert.equal(await readFailure(href, signal), undefined),
    );
  });
});
