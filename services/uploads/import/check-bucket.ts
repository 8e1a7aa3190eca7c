import type { JsonObject } from "@bufbuild/protobuf";
import { describe } from "@stowage/api/json/field-violations";
import type { Bucket } from "@stowage/api/stowage/ingest/v1/line_pb";
import { checkSize, checkUuid, requireMember } from "./check-text.ts";
import type { Refuse } from "./fault.ts";
import { hostnameLengthMax, organisationIdBytesMax } from "./limits.ts";
import type { BucketRecord } from "./records.ts";

/** The record of a `bucket` line. */
export function checkBucket(
  bucket: Bucket,
  json: JsonObject,
  line: number,
  refuse: Refuse,
): BucketRecord {
  const bucketId = checkUuid(json, bucket.bucketId, "bucket.bucketId", refuse);
  let { hostname, organisationId } = bucket;
  if (requireMember(json, "bucket.hostname", refuse)) {
    hostname = checkHostname(hostname, "bucket.hostname", refuse);
  }
  if (requireMember(json, "bucket.organisationId", refuse)) {
    organisationId = checkOrganisationId(organisationId, "bucket.organisationId", refuse);
  }
  return { kind: "bucket", line, bucketId, hostname, organisationId, isPrimary: bucket.primary };
}

/** The host name in lower case. */
export function checkHostname(hostname: string, field: string, refuse: Refuse): string {
  const lowered = hostname.toLowerCase();
  if (lowered.length === 0 || lowered.length > hostnameLengthMax) {
    refuse(field, describe(hostname), `1 to ${hostnameLengthMax} characters`);
  }
  if (/[\s\p{Cc}]/u.test(lowered)) {
    refuse(field, describe(hostname), "a text without white space and control characters");
  }
  return lowered;
}

/** The identifier as it is. */
export function checkOrganisationId(id: string, field: string, refuse: Refuse): string {
  if (id === "") refuse(field, '""', "a text that is not empty");
  if (/\p{Cc}/u.test(id)) refuse(field, describe(id), "a text without control characters");
  checkSize(id, field, organisationIdBytesMax, refuse);
  return id;
}
