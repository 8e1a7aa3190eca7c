import type { JsonObject } from "@bufbuild/protobuf";
import type { Integration } from "@stowage/api/svc/api/v1/integration_pb";
import { checkUuid } from "./check-text.ts";
import type { Refuse } from "./fault.ts";

/** Checks an `integration` line. Changes the message in place. */
export function checkIntegration(
  integration: Integration,
  json: JsonObject,
  refuse: Refuse,
): Integration {
  const { integrationId } = integration;
  integration.integrationId = checkUuid(json, integrationId, "integration.integrationId", refuse);
  return integration;
}
