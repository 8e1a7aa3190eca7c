import assert from "node:assert/strict";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { askHttp1 } from "../testing/ask.ts";
import { publish, startIssuerServer } from "../testing/issuer-server.ts";
import { goodClaims, programs, readme, startProgram } from "../testing/readme-programs.ts";
import { signingKey, signToken } from "../testing/tokens.ts";
import {
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "./token-refused-error.ts";

/** A server of the README, with an issuer whose tokens it takes. */
async function startServer(heading: string) {
  const issuer = await startIssuerServer(publish(signingKey.jwk));
  const child = startProgram(heading, { AUTH_URL: issuer.address, PORT: "0" });
  // There is no line if the program has ended before; stderr has the reason.
  const { value: line } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const port = /^listening on port (\d+)$/.exec(line ?? "")?.[1];
  if (port === undefined) {
    await issuer[Symbol.asyncDispose]();
    throw new Error(`Cannot start the program: it says ${line ?? "nothing"}`);
  }
  const address = `http://127.0.0.1:${port}`;
  return {
    async ask(changes: object | undefined, method = "GET", path = "/") {
      const token = changes && (await signToken({ ...goodClaims(issuer.address), ...changes }));
      const headers = token ? ["authorization", `Bearer ${token}`] : [];
      if (method === "POST") headers.push(...connectHeaders);
      const body = method === "POST" ? "{}" : "";
      return askHttp1(address, { method, path, headers, body });
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
      await issuer[Symbol.asyncDispose]();
    },
  };
}

const connectHeaders = ["content-type", "application/json", "connect-protocol-version", "1"];

const servers: Readonly<Record<string, readonly [method: string, path: string]>> = {
  "node:http": ["GET", "/"],
  Express: ["GET", "/"],
  Fastify: ["GET", "/"],
  Connect: ["POST", "/greet.v1.GreetService/Greet"],
};

describe("the README", () => {
  it("shows no program that is not tested", () => {
    const tested = ["Validate a token", ...Object.keys(servers), "Revoked tokens"];
    assert.deepEqual(Object.keys(programs), tested);
    assert.equal(Object.keys(programs).length, readme.match(/^```js$/gm)?.length);
  });

  it("validates a token in ten lines", async () => {
    assert.equal(programs["Validate a token"]?.trimEnd().split("\n").length, 10);
    await using issuer = await startIssuerServer(publish(signingKey.jwk));
    const token = await signToken(goodClaims(issuer.address));
    const child = startProgram("Validate a token", {
      AUTH_URL: issuer.address,
      ACCESS_TOKEN: token,
    });
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
    assert.equal(output, "urn:svc:user:7 may upl:bucket:read\n");
    assert.equal(child.exitCode, 0);
  });

  for (const [heading, resource] of Object.entries(servers)) {
    it(`shows a server that works: ${heading}`, async () => {
      await using server = await startServer(heading);

      const good = await server.ask({}, ...resource);
      assert.equal(good.status, 200, good.body);
      assert.match(good.body, /Hello, urn:svc:user:7\./);

      const missing = await server.ask(undefined, ...resource);
      assert.equal(missing.status, 401);
      assert.equal(missing.headers["www-authenticate"], 'Bearer realm="uploads"');

      const foreign = await server.ask({ aud: "other" }, ...resource);
      assert.equal(foreign.status, 401);
      assert.match(foreign.body, /The access token is meant for another service\./);

      const weak = await server.ask({ scope: "other" }, ...resource);
      assert.equal(weak.status, 403);
      assert.match(String(weak.headers["www-authenticate"]), /, scope="upl:bucket:read"$/);
    });
  }

  it("requires an authorization detail in a route of Express", async () => {
    await using server = await startServer("Express");
    const details = [{ type: "bucket", identifier: "b-1", actions: ["read"] }];
    const ask = (path: string) => server.ask({ authorization_details: details }, "GET", path);

    assert.equal((await ask("/buckets/b-1")).body, "This is bucket b-1.\n");
    const refused = await ask("/buckets/b-2");
    assert.equal(refused.status, 403);
    assert.match(refused.body, /AUTHORIZATION_DETAIL_MISSING/);
  });

  it("requires another scope in a route of Fastify", async () => {
    await using server = await startServer("Fastify");

    const gone = await server.ask({ scope: "upl:bucket:read upl:bucket:write" }, "DELETE");
    assert.equal(gone.body, "Gone.\n");
    const refused = await server.ask({}, "DELETE");
    assert.equal(refused.status, 403);
    assert.match(String(refused.headers["www-authenticate"]), /, scope="upl:bucket:write"$/);
  });

  it("lists every reason with its status and message, and no others", () => {
    const listed = readme.matchAll(/^\| `([A-Z_]+)` +\| (\d+) +\| (.*?) +\|$/gm);
    const reasons = Object.keys(refusalMessages) as TokenRefusalReason[];
    assert.deepEqual(
      [...listed].map(([, ...row]) => row),
      reasons.map((reason) => {
        const { status, message } = new TokenRefusedError(reason, "");
        return [reason, `${status}`, message];
      }),
    );
  });
});
