import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "../data-set/random.ts";
import { type Answer, ResponseReader } from "./response-reader.ts";

const withLength = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: today\r\n\r\nab\r\nc";
const empty = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunked = `${chunkedHead}3\r\nabc\r\n10\r\n0123456789\r\nabcd\r\n0\r\n\r\n`;
const trailed =
  "HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nDigest: y\r\n\r\n";

describe("ResponseReader", () => {
  it("tells status and size of answers, however they are cut", () => {
    const stream = Buffer.from(withLength + empty + chunked + trailed + withLength);
    const random = new Random(1);
    for (let round = 0; round < 500; round++) {
      const answers: Answer[] = [];
      const reader = new ResponseReader((answer) => answers.push(answer));
      for (let at = 0; at < stream.length; ) {
        const until = at + 1 + random.below(round % 50 === 0 ? 400 : 40);
        reader.read(stream.subarray(at, until));
        at = until;
      }
      assert.deepEqual(answers, [
        { status: 200, bodyBytes: 5 },
        { status: 404, bodyBytes: 0 },
        { status: 200, bodyBytes: 19 },
        { status: 503, bodyBytes: 1 },
        { status: 200, bodyBytes: 5 },
      ]);
    }
  });

  for (const [what, stream] of [
    ["another protocol", "SSH-2.0-x\r\n\r\n"],
    ["an answer of unknown size", "HTTP/1.1 200 OK\r\n\r\n"],
    ["a chunk of unknown size", `${chunkedHead}xyz\r\n`],
    ["a head without end", "HTTP/1.1 200 OK\r\n".repeat(2000)],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => new ResponseReader(() => undefined).read(Buffer.from(stream)), /Cannot/);
    });
  }
});
