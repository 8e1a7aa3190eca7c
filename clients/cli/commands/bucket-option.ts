import { create } from "@bufbuild/protobuf";
import { type BucketRef, BucketRefSchema } from "@stowage/api/svc/api/v1/references_pb";
import { Option } from "commander";

export const bucketOption = () =>
  new Option("--bucket <bucket>", "host name or ID (default: the organisation's primary bucket)");

/** A text in the form of a UUID is a bucket's ID, any other a host name. */
export function bucketRefOf(text: string): BucketRef {
  // A copy of the pattern in `@stowage/process`, which clients may not import.
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const reference = isId
    ? ({ case: "bucketId", value: text } as const)
    : ({ case: "hostname", value: text } as const);
  return create(BucketRefSchema, { reference });
}
