import assert from "node:assert/strict";
import { createServer } from "node:http2";
import { describe, it } from "node:test";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  createHandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import { GreetService } from "../../testing/greet-service.ts";
import { listen } from "../../testing/listen.ts";
import { signToken, validator } from "../../testing/tokens.ts";
import { requireScope } from "../scope.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import { accessTokenOf, type ConnectGuard, createConnectGuard } from "./connect.ts";

const good = { authorization: `Bearer ${await signToken()}` };

/** A client that speaks gRPC, to a server whose routes require the scope `other` of their own. */
async function startGrpc(guard: Partial<ConnectGuard>, interceptors: Interceptor[] = []) {
  const routes = (router: ConnectRouter) =>
    router.service(GreetService, {
      greet: (_request, { values }) => ({ greeting: `Hello, ${accessTokenOf(values).subject}.` }),
      greetWriter(_request, { values }) {
        requireScope(accessTokenOf(values), "other");
        return {};
      },
      async *greetMany(_request, { values }) {
        yield { greeting: `Hello, ${accessTokenOf(values).subject}.` };
        requireScope(accessTokenOf(values), "other");
      },
    });
  const all = [...(guard.interceptors ?? []), ...interceptors];
  const listener = connectNodeAdapter({ ...guard, routes, interceptors: all });
  const server = await listen(createServer(listener));
  const transport = createGrpcTransport({ baseUrl: server.address });
  return Object.assign(server, { client: createClient(GreetService, transport) });
}

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => assert.fail("the call was not refused"),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof ConnectError);
  return error;
}

describe("createConnectGuard", () => {
  it("refuses calls of gRPC with a code and with headers", async () => {
    await using server = await startGrpc(createConnectGuard(validator, { realm: "greetings" }));

    const error = await errorOf(server.client.greet({}));

    assert.equal(error.code, Code.Unauthenticated);
    assert.equal(error.rawMessage, "An access token is required.");
    assert.equal(error.metadata.get("www-authenticate"), 'Bearer realm="greetings"');
  });

  it("lets calls of gRPC through", async () => {
    await using server = await startGrpc(createConnectGuard(validator));
    const { greeting } = await server.client.greet({}, { headers: good });
    assert.equal(greeting, "Hello, urn:svc:user:7.");
  });

  it("gives refusals that come from handlers the same form", async () => {
    await using server = await startGrpc(createConnectGuard(validator));

    const error = await errorOf(server.client.greetWriter({}, { headers: good }));

    assert.equal(error.code, Code.PermissionDenied);
    assert.match(error.metadata.get("www-authenticate") ?? "", /, scope="other"$/);
  });

  it("and those that come after the first message of a stream", async () => {
    await using server = await startGrpc(createConnectGuard(validator));
    const greetings: string[] = [];

    const error = await errorOf(
      (async () => {
        for await (const { greeting } of server.client.greetMany({}, { headers: good })) {
          greetings.push(greeting);
        }
      })(),
    );

    assert.deepEqual(greetings, ["Hello, urn:svc:user:7."]);
    assert.equal(error.code, Code.PermissionDenied);
    assert.match(error.metadata.get("www-authenticate") ?? "", /, scope="other"$/);
  });

  it("takes the scope that a function tells from the call", async () => {
    const scope = ({ method }: { method: { name: string } }) =>
      method.name === "Greet" ? "upl:bucket:read" : "upl:bucket:write";
    await using server = await startGrpc(createConnectGuard(validator, { scope }));

    await server.client.greet({}, { headers: good });
    const error = await errorOf(server.client.greetWriter({}, { headers: good }));
    assert.match(error.metadata.get("www-authenticate") ?? "", /, scope="upl:bucket:write"$/);
  });

  it("tells of every refusal once, with the call", async () => {
    const refused: unknown[] = [];
    const guard = createConnectGuard(validator, {
      onRefused: ({ reason }, { method }) => refused.push([reason, method.name]),
    });
    await using server = await startGrpc(guard);

    await errorOf(server.client.greet({}));
    await errorOf(server.client.greetWriter({}, { headers: good }));
    assert.deepEqual(refused, [
      ["TOKEN_MISSING", "Greet"],
      ["SCOPE_MISSING", "GreetWriter"],
    ]);
  });

  it("shows the token to interceptors", async () => {
    const subjects: string[] = [];
    const interceptor: Interceptor = (next) => (request) => {
      subjects.push(accessTokenOf(request.contextValues).subject);
      return next(request);
    };
    await using server = await startGrpc(createConnectGuard(validator), [interceptor]);

    await server.client.greet({}, { headers: good });
    assert.deepEqual(subjects, ["urn:svc:user:7"]);
  });

  it("tells callers nothing of other errors", async () => {
    const guard = createConnectGuard({
      validate: async () => {
        throw new Error("a secret of the server");
      },
    });
    await using server = await startGrpc(guard);

    const error = await errorOf(server.client.greet({}, { headers: good }));
    assert.equal(error.code, Code.Internal);
    assert.doesNotMatch(error.message, /secret/);
  });

  it("leaves a handler without a token when the gate is forgotten", async () => {
    const { requestGate: _, ...forgetful } = createConnectGuard(validator);
    await using server = await startGrpc(forgetful);

    const error = await errorOf(server.client.greet({}, { headers: good }));
    assert.equal(error.code, Code.Internal);
  });

  it("refuses two headers of a Fetch request, and keeps the refusal as the cause", async () => {
    const requestHeader = new Headers(good);
    requestHeader.append("authorization", "Bearer other");
    const context = createHandlerContext({
      service: GreetService,
      method: GreetService.method.greet,
      protocolName: "connect",
      requestMethod: "POST",
      url: "https://greet.example.com/greet.v1.GreetService/Greet",
      requestHeader,
    });

    const error = await errorOf(createConnectGuard(validator).requestGate(context));

    assert.equal(error.code, Code.InvalidArgument);
    assert(error.cause instanceof TokenRefusedError);
    assert.equal(error.cause.reason, "AUTHORIZATION_MALFORMED");
    assert.throws(() => accessTokenOf(context.values), /no guard has authenticated the request/);
  });
});
