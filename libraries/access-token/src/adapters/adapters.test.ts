/** One table of requests, sent to every framework over real connections. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import type { Answer } from "../../testing/ask.ts";
import { connectServers, type GuardedServer, plainServers } from "../../testing/guarded-servers.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import { audience, issuer, nowSeconds, signingKey, signToken } from "../../testing/tokens.ts";
import { type KeySet, staticKeySet } from "../key-set/key-set.ts";
import {
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "../token-refused-error.ts";
import { createAccessTokenValidator } from "../validator.ts";

const keyOutOfReach = makeSigningKey("key-out-of-reach");
const published = staticKeySet({ keys: [signingKey.jwk] });
const keySet: KeySet = {
  ...published,
  getOrFetch(keyId) {
    if (keyId !== keyOutOfReach.keyId) return published.getOrFetch(keyId);
    throw new TokenRefusedError("KEY_SET_UNAVAILABLE", "the issuer is down", {
      retryAfterSeconds: 3,
    });
  },
};
const validator = createAccessTokenValidator({
  issuer,
  audience,
  keySet,
  now: () => nowSeconds * 1000,
});

const good = await signToken();
const expired = await signToken({ exp: nowSeconds });

interface Row {
  readonly what: string;
  /** The values of the Authorization headers. */
  readonly authorization: readonly string[];
  readonly resource?: string;
  readonly reason: TokenRefusalReason;
  /** What the challenge says after the realm. */
  readonly challenge?: string;
  readonly retryAfter?: string;
}

const rows: readonly Row[] = [
  { what: "no header", authorization: [], reason: "TOKEN_MISSING" },
  { what: "an empty header", authorization: [""], reason: "TOKEN_MISSING" },
  { what: "another scheme", authorization: ["Basic dXNlcjpwYXNz"], reason: "TOKEN_MISSING" },
  {
    what: "the same good token in two headers",
    authorization: [`Bearer ${good}`, `Bearer ${good}`],
    reason: "AUTHORIZATION_MALFORMED",
  },
  {
    what: "a good token in the first of two headers",
    authorization: [`Bearer ${good}`, "Basic dXNlcjpwYXNz"],
    reason: "AUTHORIZATION_MALFORMED",
  },
  {
    what: "a good token in the second of two headers",
    authorization: ["", `Bearer ${good}`],
    reason: "AUTHORIZATION_MALFORMED",
  },
  { what: "no token", authorization: ["Bearer"], reason: "AUTHORIZATION_MALFORMED" },
  {
    what: "two tokens with a comma",
    authorization: [`Bearer ${good}, Bearer ${good}`],
    reason: "AUTHORIZATION_MALFORMED",
  },
  {
    what: "two tokens with a space",
    authorization: [`Bearer ${good} ${good}`],
    reason: "AUTHORIZATION_MALFORMED",
  },
  { what: "garbage", authorization: ["Bearer abc"], reason: "TOKEN_MALFORMED" },
  {
    what: "too large a token",
    authorization: [`Bearer ${"a".repeat(8193)}`],
    reason: "TOKEN_TOO_LARGE",
  },
  { what: "an expired token", authorization: [`Bearer ${expired}`], reason: "TOKEN_EXPIRED" },
  {
    what: "a token of another audience",
    authorization: [`Bearer ${await signToken({ aud: ["other"] })}`],
    reason: "AUDIENCE_MISMATCH",
  },
  {
    what: "a token without the scope of the guard",
    authorization: [`Bearer ${await signToken({ scope: "upl:bucket" })}`],
    reason: "SCOPE_MISSING",
    challenge: ', scope="upl:bucket:read"',
  },
  {
    what: "a token without the scope of the route",
    resource: "GreetWriter",
    authorization: [`Bearer ${good}`],
    reason: "SCOPE_MISSING",
    challenge: ', scope="upl:bucket:write"',
  },
  {
    what: "a token without the authorization detail of the route",
    resource: "GreetInBucket",
    authorization: [`Bearer ${good}`],
    reason: "AUTHORIZATION_DETAIL_MISSING",
  },
  {
    what: "a token whose key is out of reach",
    authorization: [`Bearer ${await signToken({}, keyOutOfReach)}`],
    reason: "KEY_SET_UNAVAILABLE",
    retryAfter: "3",
  },
];

const errors: Partial<Record<number, string>> = {
  400: "invalid_request",
  401: "invalid_token",
  403: "insufficient_scope",
};

function expectedChallenge({ reason, challenge = "" }: Row): string | undefined {
  const { status, message } = new TokenRefusedError(reason, "");
  if (status === 503) return undefined;
  if (reason === "TOKEN_MISSING") return 'Bearer realm="greetings"';
  const described = `error="${errors[status]}", error_description="${message}"`;
  return `Bearer realm="greetings", ${described}${challenge}`;
}

const titles: Partial<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  503: "Service Unavailable",
};
const codes: Partial<Record<number, string>> = {
  400: "invalid_argument",
  401: "unauthenticated",
  403: "permission_denied",
  503: "unavailable",
};

function plainBody(reason: TokenRefusalReason): [type: string, body: object] {
  const { status, message } = new TokenRefusedError(reason, "");
  return ["application/problem+json", { title: titles[status], status, detail: message, reason }];
}

function connectBody(reason: TokenRefusalReason): [type: string, body: object] {
  const { status, message } = new TokenRefusedError(reason, "");
  return ["application/json", { code: codes[status], message }];
}

const frameworks = [
  ...Object.entries(plainServers).map(([name, start]) => ({ name, start, bodyOf: plainBody })),
  ...Object.entries(connectServers).map(([name, start]) => ({ name, start, bodyOf: connectBody })),
];

for (const { name, start, bodyOf } of frameworks) {
  describe(`the guard of ${name}`, () => {
    const startServer = async () => {
      const refusals: TokenRefusedError[] = [];
      const server = await start(validator, {
        scope: "upl:bucket:read",
        realm: "greetings",
        onRefused: (error) => refusals.push(error),
      });
      return Object.assign(server, { refusals });
    };

    for (const row of rows) {
      it(`refuses ${row.what}`, async () => {
        await using server = await startServer();

        const answer = await askForGreeting(server, row);

        const [type, body] = bodyOf(row.reason);
        assert.equal(answer.status, new TokenRefusedError(row.reason, "").status);
        assert.equal(answer.headers["www-authenticate"], expectedChallenge(row));
        assert.equal(answer.headers["retry-after"], row.retryAfter);
        // Fastify says `; charset=utf-8` of all that is JSON.
        assert.equal(String(answer.headers["content-type"]).split(";")[0], type);
        assert.deepEqual(JSON.parse(answer.body), body);
        assert.deepEqual(
          server.refusals.map(({ reason }) => reason),
          [row.reason],
        );
      });
    }

    it("lets a good token through, with the body of the request", async () => {
      await using server = await startServer();

      const answer = await askForGreeting(server, { authorization: [`Bearer ${good}`] });

      assert.equal(answer.status, 200, answer.body);
      assert.deepEqual(JSON.parse(answer.body), {
        greeting: "Hello, Ada, from urn:svc:user:7.",
      });
      assert.deepEqual(server.refusals, []);
    });

    it("lets a token through to a route whose authorization detail it has", async () => {
      await using server = await startServer();
      const details = [{ type: "bucket", actions: ["read"] }];
      const detailed = await signToken({ authorization_details: details });
      const asked = { resource: "GreetInBucket", authorization: [`Bearer ${detailed}`] };

      assert.equal((await askForGreeting(server, asked)).status, 200);
    });

    it("refuses before the body has come", async () => {
      await using server = await startServer();

      const answer = await askForGreeting(
        server,
        { authorization: [`Bearer ${expired}`] },
        "unfinished",
      );

      assert.equal(answer.status, 401);
    });

    it("leaves errors that are not refusals to the framework", async () => {
      await using server = await startServer();
      const asked = { resource: "Fail", authorization: [`Bearer ${good}`] };

      const { status, headers } = await askForGreeting(server, asked);

      assert.equal(status, 500);
      assert.equal(headers["www-authenticate"], undefined);
      assert.deepEqual(server.refusals, []);
    });

    const broken: Record<string, () => void> = {
      throws() {
        throw new Error("listener broke");
      },
      rejects: () => Promise.reject(new Error("listener broke")),
    };
    for (const [how, onRefused] of Object.entries(broken)) {
      it(`refuses, and warns, when whoever is told of it ${how}`, async () => {
        const warned = once(process, "warning");
        const options = { scope: "upl:bucket:read", realm: "greetings", onRefused };
        await using server = await start(validator, options);

        assert.equal((await askForGreeting(server, { authorization: [] })).status, 401);

        const [{ code, message }] = await warned;
        assert.equal(code, "LISTENER_FAILED");
        assert.match(message, /^onRefused of a guard failed; /);
      });
    }

    it("never says anything of the token", async () => {
      await using server = await startServer();
      const secret = "xyzzy";
      for (const authorization of [
        secret,
        `Bearer ${secret}`,
        `Bearer ${secret}, ${secret}`,
        `Bearer ${await signToken({ iss: secret, aud: secret })}`,
        `Bearer ${await signToken({ scope: secret })}`,
        `Bearer ${await signToken({}, makeSigningKey(secret))}`,
      ]) {
        const answer = await askForGreeting(server, { authorization: [authorization] });
        assert(answer.status >= 400);
        assert(!JSON.stringify(answer).includes(secret), JSON.stringify(answer));
      }
      assert.equal(server.refusals.length, 6);
      assert(Object.keys(refusalMessages).includes(server.refusals[0]?.reason ?? ""));
    });
  });
}

function askForGreeting(
  { ask, address, pathPrefix }: GuardedServer,
  { authorization, resource = "Greet" }: Pick<Row, "authorization" | "resource">,
  body = '{"name":"Ada"}',
): Promise<Answer> {
  const headers = authorization.flatMap((value) => ["Authorization", value]);
  return ask(address, {
    method: "POST",
    path: `${pathPrefix}${resource}`,
    headers: ["content-type", "application/json", "connect-protocol-version", "1", ...headers],
    body,
  });
}
