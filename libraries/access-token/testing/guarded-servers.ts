/** The same four resources, served by every framework that there is a guard for. */
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createHttp2Server, type Http2ServerRequest } from "node:http2";
import { json } from "node:stream/consumers";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import express from "express";
import { type FastifyInstance, fastify } from "fastify";
import type { AccessToken } from "../src/access-token.ts";
import * as connectGuards from "../src/adapters/connect.ts";
import * as fastifyGuards from "../src/adapters/fastify.ts";
import * as httpGuards from "../src/adapters/http.ts";
import { requireAuthorizationDetail } from "../src/require-authorization-detail.ts";
import { requireScope } from "../src/scope.ts";
import type { TokenRefusedError } from "../src/token-refused-error.ts";
import type { AccessTokenValidator } from "../src/validator.ts";
import { type Ask, askHttp1, askHttp2 } from "./ask.ts";
import { GreetService } from "./greet-service.ts";
import { listen } from "./listen.ts";

export interface GuardedServer extends AsyncDisposable {
  readonly address: string;
  readonly ask: Ask;
  readonly pathPrefix: string;
}

interface Options {
  scope: string;
  realm: string;
  onRefused(error: TokenRefusedError): void;
}

type Start = (validator: AccessTokenValidator, options: Options) => Promise<GuardedServer>;

/** The routes behind the guard. */
const resources: Record<string, (token: AccessToken) => unknown> = {
  Greet: () => undefined,
  GreetInBucket: (token) =>
    requireAuthorizationDetail(token, { type: "bucket", actions: ["read"] }),
  GreetWriter: (token) => requireScope(token, "upl:bucket:write"),
  Fail: () => {
    throw new Error("a secret of the server");
  },
};

function greet(resource: string, token: AccessToken, name: string) {
  resources[resource]?.(token);
  return { greeting: `Hello, ${name}, from ${token.subject}.` };
}

const plain = { ask: askHttp1, pathPrefix: "/" };

export const plainServers: Readonly<Record<string, Start>> = {
  async "node:http"(validator, options) {
    const guard = httpGuards.createHttpGuard<NodeRequest>(validator, options);
    return { ...plain, ...(await listen(createServer(plainListener(guard)))) };
  },

  async "node:http2"(validator, options) {
    const guard = httpGuards.createHttpGuard<NodeRequest>(validator, options);
    const server = createHttp2Server(plainListener(guard));
    return { ...plain, ask: askHttp2, ...(await listen(server)) };
  },

  async Express(validator, options) {
    const guard = httpGuards.createHttpGuard(validator, options);
    const app = express();
    app.set("env", "test"); // or it prints errors
    app.use(guard.middleware);
    app.use(express.json());
    app.post("/:resource", (request, response) => {
      const token = httpGuards.accessTokenOf(request);
      response.json(greet(request.params.resource, token, request.body.name));
    });
    app.use(guard.errorMiddleware);
    return { ...plain, ...(await listen(createServer(app))) };
  },

  async Fastify(validator, options) {
    return { ...plain, ...(await listenFastify(fastify(), validator, options)) };
  },

  async "Fastify over HTTP/2"(validator, options) {
    const app = fastify({ http2: true }) as unknown as FastifyInstance;
    return { ...plain, ask: askHttp2, ...(await listenFastify(app, validator, options)) };
  },
};

const connect = { ask: askHttp1, pathPrefix: "/greet.v1.GreetService/" };

export const connectServers: Readonly<Record<string, Start>> = {
  async Connect(validator, options) {
    const listener = connectListener(connectGuards.createConnectGuard(validator, options));
    return { ...connect, ...(await listen(createServer(listener))) };
  },

  async "Connect over HTTP/2"(validator, options) {
    const listener = connectListener(connectGuards.createConnectGuard(validator, options));
    return { ...connect, ask: askHttp2, ...(await listen(createHttp2Server(listener))) };
  },
};

type NodeRequest = IncomingMessage | Http2ServerRequest;

function plainListener(guard: httpGuards.HttpGuard<NodeRequest>) {
  return async (request: NodeRequest, response: httpGuards.RawResponse) => {
    try {
      const token = await guard.authenticate(request);
      const { name } = (await json(request)) as { name: string };
      response.end(JSON.stringify(greet(request.url?.slice(1) ?? "", token, name)));
    } catch (error) {
      guard.errorMiddleware(error, request, response, () => {
        response.statusCode = 500;
        response.end("");
      });
    }
  };
}

async function listenFastify(
  app: FastifyInstance,
  validator: AccessTokenValidator,
  options: Options,
) {
  const guard = fastifyGuards.createFastifyGuard(validator, options);
  app.addHook("onRequest", guard.onRequest);
  app.setErrorHandler(guard.errorHandler);
  app.post<{ Params: { resource: string }; Body: { name: string } }>(
    "/:resource",
    async (request) => {
      const token = fastifyGuards.accessTokenOf(request);
      return greet(request.params.resource, token, request.body.name);
    },
  );
  await app.ready();
  const { address } = await listen(app.server);
  return { address, [Symbol.asyncDispose]: () => app.close() };
}

function connectListener(guard: connectGuards.ConnectGuard) {
  const handle =
    (resource: string) =>
    ({ name }: { name: string }, { values }: Parameters<typeof guard.requestGate>[0]) =>
      greet(resource, connectGuards.accessTokenOf(values), name);
  return connectNodeAdapter({
    ...guard,
    routes(router) {
      router.service(GreetService, {
        greet: handle("Greet"),
        greetInBucket: handle("GreetInBucket"),
        greetWriter: handle("GreetWriter"),
        fail: handle("Fail"),
        async *greetMany(request, context) {
          yield handle("Greet")(request, context);
          yield handle("GreetInBucket")(request, context);
        },
      });
    },
  });
}
