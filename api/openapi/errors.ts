import type { JsonObject } from "@bufbuild/protobuf";
import type { NamedSchema } from "./schemas.ts";

/** The HTTP statuses of refusals, with the codes that come under them. */
const statuses: Record<string, { codes: string[]; description: string; headers?: string[] }> = {
  "400": {
    codes: ["invalid_argument"],
    description: "A header, a field or the cursor is not as it should be.",
    headers: ["WWW-Authenticate"],
  },
  "401": {
    codes: ["unauthenticated"],
    description: "There is no access token, or it is refused.",
    headers: ["WWW-Authenticate"],
  },
  "403": {
    codes: ["permission_denied"],
    description: "The access token does not have the scope that the operation needs.",
    headers: ["WWW-Authenticate"],
  },
  "404": {
    codes: ["not_found"],
    description: "No such bucket or folder, or one that the token's holder may not know of.",
  },
  "415": {
    codes: ["invalid_argument"],
    description: "The `Content-Type` is none that the service speaks.",
  },
  "429": {
    codes: ["resource_exhausted"],
    description: "The body, the answer or the rate of requests is over a limit.",
  },
  "500": {
    codes: ["internal"],
    description: "A fault of the service. The message tells nothing of the cause.",
  },
  "501": { codes: ["unimplemented"], description: "The `Content-Encoding` is not supported." },
  "503": {
    codes: ["unavailable"],
    description: "The database or the issuer's key set is out of reach.",
    headers: ["Retry-After"],
  },
  "504": { codes: ["deadline_exceeded"], description: "The time for the answer ran out." },
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

export const refusalHeaders: JsonObject = {
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer", minimum: 0 },
  },
  "WWW-Authenticate": {
    description: "A challenge of RFC 6750, where the token or its header is at fault.",
    schema: { type: "string" },
  },
};

const codes = Array.from(new Set(Object.values(statuses).flatMap((status) => status.codes)));

export const errorSchemas: NamedSchema[] = [
  [
    "Error",
    {
      type: "object",
      description: "Why a request was refused.",
      properties: {
        code: { type: "string", description: "What kind of refusal.", enum: codes },
        message: { type: "string", description: "What was wrong and what is allowed, for people." },
        details: {
          type: "array",
          description: "The same for programs; left out where there is nothing to add.",
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
        "`google.rpc.BadRequest` names the fields that are at fault.",
      properties: {
        type: { type: "string", description: "The message's type: `google.rpc.ErrorInfo`." },
        value: {
          type: "string",
          contentEncoding: "base64",
          description: "The message in protobuf's binary form, in base64 without padding.",
        },
        debug: { type: "object", description: "The message as JSON.", additionalProperties: true },
      },
      required: ["type", "value"],
    },
  ],
];
