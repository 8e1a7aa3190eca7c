import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FastifyRequest, fastify } from "fastify";
import { signToken, validator } from "../../testing/tokens.ts";
import { requireScope } from "../scope.ts";
import { accessTokenOf, createFastifyGuard } from "./fastify.ts";

const headers = { authorization: `Bearer ${await signToken()}` };

describe("createFastifyGuard", () => {
  it("guards the routes that have its hook, and gives no token to others", async () => {
    await using app = fastify();
    const { onRequest } = createFastifyGuard(validator);
    app.get("/guarded", { onRequest }, async (request) => accessTokenOf(request).subject);
    app.get("/open", async () => "let in");
    app.get("/forgotten", async (request) => accessTokenOf(request).subject);

    assert.equal((await app.inject({ url: "/guarded", headers })).body, "urn:svc:user:7");
    assert.equal((await app.inject("/guarded")).statusCode, 401);
    assert.equal((await app.inject("/open")).body, "let in");
    assert.equal((await app.inject({ url: "/forgotten", headers })).statusCode, 500);
  });

  it("reads the header as it came, not what other code has made of it", async () => {
    await using app = fastify();
    app.addHook("onRequest", async (request) => {
      Object.assign(request.headers, headers);
      Object.assign(request, { accessToken: {}, user: {} });
    });
    app.addHook("onRequest", createFastifyGuard(validator).onRequest);
    app.get("/", async () => "let in");

    assert.equal((await app.inject("/")).statusCode, 401);
  });

  it("takes the scope that a function tells from the request, such as its route", async () => {
    await using app = fastify();
    const guard = createFastifyGuard(validator, {
      scope: ({ routeOptions }: FastifyRequest) => `upl:${routeOptions.url?.slice(1)}:read`,
    });
    app.addHook("onRequest", guard.onRequest);
    app.get("/bucket", async () => "let in");
    app.get("/secret", async () => "let in");

    assert.equal((await app.inject({ url: "/bucket", headers })).body, "let in");
    const refused = await app.inject({ url: "/secret", headers });
    assert.equal(refused.statusCode, 403);
    assert.match(String(refused.headers["www-authenticate"]), /scope="upl:secret:read"$/);
  });

  it("answers HEAD without a body, and guards OPTIONS", async () => {
    await using app = fastify();
    app.addHook("onRequest", createFastifyGuard(validator).onRequest);
    app.get("/", async () => "let in");
    app.options("/", async () => "let in");

    const head = await app.inject({ method: "HEAD", url: "/" });
    assert.deepEqual([head.statusCode, head.body], [401, ""]);
    assert.equal((await app.inject({ method: "OPTIONS", url: "/" })).statusCode, 401);
  });

  it("leaves other errors to the error handler around", async () => {
    await using app = fastify();
    app.setErrorHandler((error: Error, _request, reply) => {
      reply.code(418).send(error.message);
    });
    const failing = createFastifyGuard({
      validate: async () => {
        throw new Error("out of order");
      },
    });
    await app.register(async (inner) => {
      inner.addHook("onRequest", failing.onRequest);
      inner.setErrorHandler(failing.errorHandler);
      inner.get("/", async () => "let in");
    });

    const failed = await app.inject({ url: "/", headers });
    assert.deepEqual([failed.statusCode, failed.body], [418, "out of order"]);
  });

  it("tells of every refusal once, with the request", async () => {
    await using app = fastify();
    const refused: unknown[] = [];
    const guard = createFastifyGuard(validator, {
      onRefused: ({ reason }, { url }: FastifyRequest) => refused.push([reason, url]),
    });
    app.addHook("onRequest", guard.onRequest);
    app.setErrorHandler(guard.errorHandler);
    app.get("/", async (request) => requireScope(accessTokenOf(request), "other"));

    await app.inject("/");
    await app.inject({ url: "/", headers });
    assert.deepEqual(refused, [
      ["TOKEN_MISSING", "/"],
      ["SCOPE_MISSING", "/"],
    ]);
  });
});
