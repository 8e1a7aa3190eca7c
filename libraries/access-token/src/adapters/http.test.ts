import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { describe, it } from "node:test";
import express, { type Express, type Request } from "express";
import { askHttp1 } from "../../testing/ask.ts";
import { listen } from "../../testing/listen.ts";
import { signToken, validator } from "../../testing/tokens.ts";
import type { TokenRefusedError } from "../token-refused-error.ts";
import { accessTokenOf, createHttpGuard } from "./http.ts";

const good = ["authorization", `Bearer ${await signToken()}`];

async function ask(
  listener: RequestListener,
  { method = "GET", headers = [] }: { method?: string; headers?: readonly string[] } = {},
) {
  await using server = await listen(createServer(listener));
  return await askHttp1(server.address, { method, path: "/", headers, body: "" });
}

function expressApp(): Express {
  const app = express();
  app.set("env", "test"); // or it prints errors
  return app;
}

describe("accessTokenOf", () => {
  const app = () => {
    const unguarded = expressApp();
    unguarded.get("/", (request, response) => {
      response.send(accessTokenOf(request).subject);
    });
    return unguarded;
  };

  it("fails a request that no guard has seen", async () => {
    const { status, body } = await ask(app(), { headers: good });
    assert.equal(status, 500);
    assert.match(body, /Cannot give the access token: no guard has authenticated the request/);
  });

  it("gives the token of each request, also of those at the same time", async () => {
    const guard = createHttpGuard(validator);
    const guarded = expressApp();
    guarded.use(guard.middleware, app());
    await using server = await listen(createServer(guarded));

    const subjects = Array.from({ length: 20 }, (_, index) => `urn:svc:user:${index}`);
    const answers = subjects.map(async (sub) => {
      const headers = { authorization: `Bearer ${await signToken({ sub })}` };
      return (await fetch(server.address, { headers })).text();
    });

    assert.deepEqual(await Promise.all(answers), subjects);
  });
});

describe("createHttpGuard", () => {
  it("reads the header as it came, not what other code has made of it", async () => {
    const guard = createHttpGuard(validator);
    const app = expressApp();
    app.use((request, _response, next) => {
      request.headers.authorization = good[1];
      request.headersDistinct.authorization = [good[1] as string];
      Object.assign(request, { accessToken: {}, token: {}, user: {}, auth: {} });
      next();
    });
    app.use(guard.middleware);
    app.get("/", (_request, response) => void response.send("let in"));

    assert.equal((await ask(app)).status, 401);
  });

  for (const method of ["HEAD", "OPTIONS", "PUT"]) {
    it(`guards ${method} as any other method`, async () => {
      const guard = createHttpGuard(validator);
      const app = expressApp();
      app.use(guard.middleware);

      const { status, headers, body } = await ask(app, { method });

      assert.equal(status, 401);
      assert.equal(headers["www-authenticate"], 'Bearer realm="api"');
      assert.equal(body === "", method === "HEAD");
    });
  }

  it("takes the scope that a function tells from the request", async () => {
    const scope = ({ method }: IncomingMessage) =>
      method === "GET" ? "upl:bucket:read" : "upl:bucket:write";
    const guard = createHttpGuard(validator, { scope });
    const app = expressApp();
    app.use(guard.middleware, (_request, response) => void response.send("let in"));

    assert.equal((await ask(app, { headers: good })).status, 200);
    const refused = await ask(app, { headers: good, method: "DELETE" });
    assert.equal(refused.status, 403);
    assert.match(String(refused.headers["www-authenticate"]), /scope="upl:bucket:write"$/);
  });

  it("fails a request for which that function has no scope", async () => {
    const scopes: Record<string, string> = {};
    const guard = createHttpGuard(validator, { scope: () => scopes.other as string });
    const app = expressApp();
    app.use(guard.middleware, (_request, response) => void response.send("let in"));

    assert.equal((await ask(app, { headers: good })).status, 500);
  });

  it("tells of every refusal once, with the request", async () => {
    const refused: unknown[] = [];
    const guard = createHttpGuard<Request>(validator, {
      onRefused: ({ reason }, { path }) => refused.push([reason, path]),
    });
    const app = expressApp();
    app.use(guard.middleware, guard.errorMiddleware);

    assert.equal((await ask(app)).status, 401);
    assert.deepEqual(refused, [["TOKEN_MISSING", "/"]]);
  });

  it("leaves an error of its validator or its scope to the framework", async () => {
    const fail = () => {
      throw new Error("a secret of the server");
    };
    const guards = [
      createHttpGuard({ validate: async () => fail() }),
      createHttpGuard(validator, { scope: fail }),
    ];
    for (const guard of guards) {
      const failed: unknown[] = [];
      const app = expressApp();
      app.use(guard.middleware, (_request, response) => void response.send("let in"));
      app.use(((error, _request, _response, next) => {
        failed.push(error.message);
        next(error);
      }) satisfies express.ErrorRequestHandler);

      assert.equal((await ask(app, { headers: good })).status, 500);
      assert.deepEqual(failed, ["a secret of the server"]);
    }
  });

  for (const thrown of [undefined, null, "", "route", "router"]) {
    it(`lets nobody in when what these throw is ${JSON.stringify(thrown)}`, async () => {
      const fail = () => {
        throw thrown;
      };
      for (const guard of [
        createHttpGuard({ validate: async () => fail() }),
        createHttpGuard(validator, { scope: fail }),
      ]) {
        const app = expressApp();
        app.get("/", guard.middleware, (_request, response) => void response.send("let in"));
        app.get("/", (_request, response) => void response.send("let in by the next route"));
        app.use(guard.errorMiddleware);

        assert.equal((await ask(app, { headers: good })).status, 500);
      }
    });
  }

  it("keeps to the scope that it was made with", async () => {
    const options: { scope?: string } = { scope: "other" };
    const guard = createHttpGuard(validator, options);
    delete options.scope;
    const app = expressApp();
    app.use(guard.middleware, (_request, response) => void response.send("let in"));

    assert.equal((await ask(app, { headers: good })).status, 403);
  });

  it("does not answer again where an answer has begun", async () => {
    const refused: TokenRefusedError[] = [];
    const guard = createHttpGuard(validator, { onRefused: (error) => refused.push(error) });
    let passedOn: unknown;
    const listener: RequestListener = async (request, response) => {
      response.write("half an answer");
      const error = await guard.authenticate(request).catch((thrown: unknown) => thrown);
      assert.throws(() => guard.refuse(error, request, response), error as Error);
      guard.errorMiddleware(error, request, response, (passed) => {
        passedOn = passed;
      });
      assert.equal(passedOn, error);
      response.end();
    };

    assert.equal((await ask(listener)).body, "half an answer");
    assert.deepEqual(refused, []);
  });
});
