import type { JsonObject } from "@bufbuild/protobuf";
import type { NamedSchema } from "./schemas.ts";

/** The HTTP statuses of error answers, each with its codes. */
const statuses: Record<string, { codes: string[]; description: string; headers?: string[] }> = {
  "400": {
    codes: ["invalid_argument"],
    description: "A header, a field or the cursor is invalid.",
    headers: ["WWW-Authenticate"],
  },
  "401": {
    codes: ["unauthenticated"],
    description: "The access token is missing or not accepted.",
    headers: ["WWW-Authenticate"],
  },
  "403": {
    codes: ["permission_denied"],
    description: "The access token lacks the scope of the operation.",
    headers: ["WWW-Authenticate"],
  },
  "404": {
    codes: ["not_found"],
    description: "The bucket or folder does not exist, or is not visible to the token.",
  },
  "415": {
    codes: ["invalid_argument"],
    description: "The `Content-Type` is not supported.",
  },
  "429": {
    codes: ["resource_exhausted"],
    description: "The body or the answer exceeds a limit.",
  },
  "500": {
    codes: ["internal"],
    description: "The service failed. The message does not tell the cause.",
  },
  "501": { codes: ["unimplemented"], description: "The `Content-Encoding` is not supported." },
  "503": {
    codes: ["unavailable"],
    description: "The database or the issuer's key set is not reachable, or the service is busy.",
    headers: ["Retry-After"],
  },
  "504": { codes: ["deadline_exceeded"], description: "The time limit of the call has passed." },
};

const errorContent = {
  "application/json": { schema: { $ref: "#/components/schemas/Error" } },
};

export const errorResponses: JsonObject = Object.fromEntries(
  Object.entries(statuses).map(toResponse),
);

function toResponse([status, { codes, description, headers = [] }]: [
  string,
  (typeof statuses)[string],
]): [string, JsonObject] {
  const codeList = codes.map((code) => `\`${code}\``).join(", ");
  const refs = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return [
    status,
    {
      description: `${codeList}: ${description}`,
      ...(refs.length > 0 ? { headers: Object.fromEntries(refs) } : {}),
      content: errorContent,
    },
  ];
}

export const errorHeaders: JsonObject = {
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 0 },
  },
  "WWW-Authenticate": {
    description: "A challenge of RFC 6750 if the token or its header is invalid.",
    schema: { type: "string" },
  },
};

const codes = Array.from(new Set(Object.values(statuses).flatMap((status) => status.codes)));

export const errorSchemas: NamedSchema[] = [
  [
    "Error",
    {
      type: "object",
      description: "Why a request failed.",
      properties: {
        code: { type: "string", description: "The kind of error.", enum: codes },
        message: { type: "string", description: "For people: what is wrong and what is allowed." },
        details: {
          type: "array",
          description: "For programs; left out if there is nothing to add.",
          items: { $ref: "#/components/schemas/ErrorDetail" },
        },
      },
      required: ["code", "message"],
    },
  ],
  [
    "ErrorDetail",
    {
      type: "object",
      description:
        "One protobuf message. `google.rpc.ErrorInfo` has a stable `reason`, one of errors.md; " +
        "`google.rpc.BadRequest` names the invalid fields.",
      properties: {
        type: { type: "string", description: "The message's type: `google.rpc.ErrorInfo`." },
        value: {
          type: "string",
          contentEncoding: "base64",
          description: "The message in binary protobuf, in base64 without padding.",
        },
        debug: { type: "object", description: "The message as JSON.", additionalProperties: true },
      },
      required: ["type", "value"],
    },
  ],
];
