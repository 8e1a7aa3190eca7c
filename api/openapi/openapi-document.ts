import type { DescMethod, DescService, JsonObject } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";
import { describe, type JsonNames, titleOf } from "./description.ts";
import { errorHeaders, errorResponses, errorSchemas } from "./errors.ts";
import { reachableTypes, type Types } from "./reachable-types.ts";
import { enumSchema, refTo, requestSchema, responseSchema } from "./schemas.ts";

const scope = "upl:bucket:read";

/**
 * The OpenAPI 3.1 description of the given services, as a client sees them over Connect with JSON:
 * one POST per method, names in camelCase, 64-bit integers as numbers.
 *
 * @throws Error when a message is both in requests and in responses: its required fields would
 * depend on the direction, and one schema cannot express both.
 */
export function openApiDocument(services: readonly DescService[]): JsonObject {
  const methods = services.flatMap((service) => service.methods);
  return {
    openapi: "3.1.0",
    info: {
      title: "Stowage uploads service",
      version: "v1",
      description:
        "Lists the uploads of a bucket and shows its folder tree. Every operation is a POST of " +
        "the Connect protocol with a JSON body. On the same port the service also answers binary " +
        "Connect, gRPC and gRPC-Web, as described by the .proto files.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:8080", description: "The default address of the service." }],
    security: [{ accessToken: [scope] }],
    tags: services.map((service) => ({
      name: service.name,
      description: describe(getComments(service), new Map()),
    })),
    paths: Object.fromEntries(methods.map((method) => [pathOf(method), { post: post(method) }])),
    components: components(methods),
  };
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function post(method: DescMethod): JsonObject {
  const description = describe(getComments(method), new Map());
  return {
    operationId: method.name,
    tags: [method.parent.name],
    summary: titleOf(description),
    description,
    parameters: [
      { $ref: "#/components/parameters/ConnectProtocolVersion" },
      { $ref: "#/components/parameters/ConnectTimeoutMs" },
    ],
    requestBody: {
      required: true,
      description:
        "At most 64 KiB. Unknown fields are not allowed; null means that a field is left out.",
      content: { "application/json": { schema: refTo(method.input) } },
    },
    responses: {
      "200": {
        description: "Every field is present, except messages and timestamps that are not set.",
        content: { "application/json": { schema: refTo(method.output) } },
      },
      ...errorResponses,
    },
  };
}

function components(methods: readonly DescMethod[]): JsonObject {
  const requests = reachableTypes(methods.map((method) => method.input));
  const responses = reachableTypes(methods.map((method) => method.output));
  for (const message of requests.messages) {
    if (responses.messages.has(message)) {
      throw new Error(`Cannot describe ${message.typeName}: got it in requests and responses`);
    }
  }
  const requestNames = jsonNamesOf(requests);
  const allNames: JsonNames = new Map([...requestNames, ...jsonNamesOf(responses)]);
  const schemas = [
    // Requests may name a response's field by its protobuf name: that is how `sortBy` spells it.
    ...Array.from(requests.messages).map((message) => requestSchema(message, requestNames)),
    ...Array.from(responses.messages).map((message) => responseSchema(message, allNames)),
    ...[...requests.enums, ...responses.enums].map((type) => enumSchema(type, allNames)),
    ...errorSchemas,
  ];
  return {
    securitySchemes: { accessToken },
    parameters: { ConnectProtocolVersion: protocolVersion, ConnectTimeoutMs: timeout },
    headers: errorHeaders,
    schemas: Object.fromEntries(schemas.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function jsonNamesOf(types: Types): JsonNames {
  const fields = Array.from(types.messages).flatMap((message) => message.fields);
  return new Map(fields.map((field) => [field.name, field.jsonName]));
}

const accessToken: JsonObject = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "JWT",
  description:
    "An OAuth 2.0 access token: a JWT signed with RS256 by the service's issuer, at most 8 KiB, " +
    `with the service's identifier in \`aud\` and the scope \`${scope}\`.`,
};

const protocolVersion: JsonObject = {
  name: "Connect-Protocol-Version",
  in: "header",
  required: true,
  schema: { type: "integer", enum: [1] },
};

const timeout: JsonObject = {
  name: "Connect-Timeout-Ms",
  in: "header",
  description:
    "How long the answer may take, in milliseconds; at most 10 digits. The server's own limit " +
    "(30000 by default) also applies; 0 expires at once.",
  schema: { type: "integer", minimum: 0, maximum: 9_999_999_999 },
};
