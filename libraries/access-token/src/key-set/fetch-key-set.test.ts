import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { FakeClock, settled } from "../../testing/fake-clock.ts";
import {
  type Answer,
  fail,
  hang,
  publish,
  startIssuerServer,
} from "../../testing/issuer-server.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import { steadyClock } from "../clock.ts";
import { fetchKeySet } from "./fetch-key-set.ts";

const { jwk } = makeSigningKey("good");
const json = JSON.stringify({ keys: [jwk] });

const bomb = json + " ".repeat(10_000_000);

async function fetchFrom(answer: Answer): Promise<string[]> {
  await using server = await startIssuerServer(answer);
  const url = new URL(`${server.address}/keys`);
  return [...(await fetchKeySet({ url, fetch, clock: steadyClock })).keys()];
}

const redirect =
  (status: number): Answer =>
  (response, request) => {
    if (request.url === "/keys") response.writeHead(status, { location: "/elsewhere" }).end(json);
    else response.end(json);
  };

function packed(contentEncoding: string, bytes: Buffer): Answer {
  return (response) => {
    response.setHeader("content-encoding", contentEncoding);
    response.end(bytes);
  };
}

const refused: Record<string, [Answer, RegExp]> = {
  "has status 404": [fail(404), /the answer has status 404$/],
  "has status 503 and a key set": [
    (response) => response.writeHead(503).end(json),
    /the answer has status 503$/,
  ],
  "has status 204": [fail(204), /status 204$/],
  "redirects with 301": [redirect(301), /status 301$/],
  "redirects with 302": [redirect(302), /status 302$/],
  "redirects with 307": [redirect(307), /status 307$/],
  "is over 64 KiB": [
    (response) => response.end(json + " ".repeat(64 * 1024 + 1 - json.length)),
    /the answer is over 65536 bytes$/,
  ],
  "never ends": [
    (response) => {
      const more = () => {
        while (response.write(" ".repeat(16 * 1024)));
      };
      response.on("drain", more);
      more();
    },
    /the answer is over 65536 bytes$/,
  ],
  "is small but over 64 KiB unpacked": [
    packed("gzip", gzipSync(bomb)),
    /the answer is over 65536 bytes$/,
  ],
  "is smaller yet but over 64 KiB unpacked": [
    packed("br", brotliCompressSync(bomb)),
    /the answer is over 65536 bytes$/,
  ],
  "is packed twice and over 64 KiB unpacked": [
    packed("gzip, gzip", gzipSync(gzipSync(bomb))),
    /the answer is over 65536 bytes$/,
  ],
  "is not packed as it says": [packed("gzip", Buffer.from(json)), /incorrect header check$/],
  "is empty": [(response) => response.end(), /not JSON$/],
  "is HTML": [(response) => response.end("<html>"), /not JSON$/],
  "is cut off": [(response) => response.end(json.slice(0, -1)), /not JSON$/],
  "names keys twice": [
    (response) => response.end(json.replace("{", '{"keys":[],')),
    /a name is given twice$/,
  ],
  "gives a key two kids": [
    (response) => response.end(json.replace('"kid"', '"kid":"other","kid"')),
    /a name is given twice$/,
  ],
  "is an array": [(response) => response.end(`[${json}]`), /not a JSON object$/],
  "is nested deeper than any key set": [
    (response) => response.end("[".repeat(60_000)),
    /nested deeper than 32$/,
  ],
  "has no usable key": [publish(), /no usable key$/],
  "breaks off": [
    (response) => {
      response.writeHead(200, { "content-length": json.length });
      response.write(json.slice(0, 10), () => response.destroy());
    },
    /failed: terminated: other side closed$/,
  ],
  "is a closed connection": [
    (response) => void response.destroy(),
    /fetch failed: other side closed$/,
  ],
};

describe("fetching a key set", () => {
  it("returns the keys of the answer, whatever its Content-Type", async () => {
    assert.deepEqual(await fetchFrom(publish(jwk)), ["good"]);
    assert.deepEqual(await fetchFrom((response) => response.end(json)), ["good"]);
    const typed = (type: string) =>
      fetchFrom((response) => {
        response.setHeader("content-type", type);
        response.end(json);
      });
    for (const type of ["application/jwk-set+json", "text/html", "image/png", ";"]) {
      assert.deepEqual(await typed(type), ["good"], type);
    }
  });

  it("accepts an answer that is compressed, or arrives byte by byte", async () => {
    assert.deepEqual(await fetchFrom(packed("gzip", gzipSync(json))), ["good"]);
    const byteByByte: Answer = (response) => {
      for (const byte of Buffer.from(json)) response.write(Buffer.of(byte));
      response.end();
    };
    assert.deepEqual(await fetchFrom(byteByByte), ["good"]);
  });

  it("requests JSON that no cache has stored", async () => {
    await using server = await startIssuerServer(publish(jwk));
    await fetchKeySet({ url: new URL(server.address), fetch, clock: steadyClock });
    const { accept, "cache-control": cacheControl } = server.requests[0]?.headers ?? {};
    assert.deepEqual([accept, cacheControl], ["application/json", "no-cache"]);
  });

  it("leaves no timer behind", async () => {
    const clock = new FakeClock();
    await using server = await startIssuerServer(publish(jwk));
    await fetchKeySet({ url: new URL(server.address), fetch, clock });
    server.answer = fail(503);
    await assert.rejects(fetchKeySet({ url: new URL(server.address), fetch, clock }));
    assert.equal(clock.timers, 0);
  });

  it("accepts an answer of exactly 64 KiB", async () => {
    const exact = json + " ".repeat(64 * 1024 - json.length);
    assert.deepEqual(await fetchFrom((response) => response.end(exact)), ["good"]);
  });

  for (const [description, [answer, message]] of Object.entries(refused)) {
    it(`fails when the answer ${description}`, async () => {
      await assert.rejects(fetchFrom(answer), { name: "Error", message });
    });
  }

  it("never follows a redirect", async () => {
    await using server = await startIssuerServer(redirect(302));
    const url = new URL(`${server.address}/keys`);
    await assert.rejects(fetchKeySet({ url, fetch, clock: steadyClock }));
    assert.deepEqual(
      server.requests.map((request) => request.url),
      ["/keys"],
    );
  });

  it("reports why it cannot connect", async () => {
    const server = await startIssuerServer(hang);
    await server[Symbol.asyncDispose]();
    await assert.rejects(
      fetchKeySet({ url: new URL(server.address), fetch, clock: steadyClock }),
      /^Error: GET http:\/\/127\.0\.0\.1:\d+\/ failed: fetch failed: connect ECONNREFUSED/,
    );
  });

  const slow: Record<string, Answer> = {
    "that hangs": hang,
    "that hangs inside its body": (response) => {
      response.writeHead(200);
      response.write("{");
    },
  };
  for (const [description, answer] of Object.entries(slow)) {
    it(`gives up after 5 s on an answer ${description}, and closes the connection`, async () => {
      const clock = new FakeClock();
      const closed = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      await using server = await startIssuerServer((response, request) => {
        response.on("close", closed.resolve);
        answer(response, request);
        asked.resolve();
      });
      const fetching = fetchKeySet({ url: new URL(server.address), fetch, clock });
      const outcome = fetching.then(() => "given", String);
      await asked.promise;
      await clock.advance(4_999);
      assert.equal(await Promise.race([outcome, settled()]), undefined);
      await clock.advance(1);
      assert.match(await outcome, /no whole answer within 5000 ms$/);
      await closed.promise;
      assert.equal(clock.timers, 0);
    });
  }

  it("gives up after 5 s on an answer of a byte a second", async () => {
    const clock = new FakeClock();
    const closed = Promise.withResolvers<void>();
    const response = Promise.withResolvers<ServerResponse>();
    await using server = await startIssuerServer((given) => {
      given.on("close", closed.resolve);
      response.resolve(given);
    });
    const fetching = fetchKeySet({ url: new URL(server.address), fetch, clock });
    const rejected = assert.rejects(fetching, /no whole answer within 5000 ms$/);
    const slow = await response.promise;
    for (const byte of json.slice(0, 5)) {
      await new Promise((written) => slow.write(byte, written));
      await clock.advance(1_000);
    }
    await rejected;
    await closed.promise;
  });

  it("gives up after 5 s even on a fetch that ignores its signal", async () => {
    const clock = new FakeClock();
    const deaf = () => new Promise<Response>(() => undefined);
    const outcome = fetchKeySet({ url: new URL("http://issuer"), fetch: deaf, clock });
    const rejected = assert.rejects(outcome, /no whole answer within 5000 ms$/);
    await clock.advance(5_000);
    await rejected;
  });
});
