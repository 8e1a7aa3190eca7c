/** Reads the events of stores: records as S3 makes them, and Ceph and MinIO after it. */
import { decodeKey } from "../keys.ts";

/** The body is no JSON. */
export class NotJsonError extends Error {
  override readonly name = "NotJsonError";
}

export interface Events {
  /** Each in both forms, if it can be read in two: see `formsOf`. */
  readonly keys: readonly string[];
  /** Where an operator can confirm that an SNS topic may send events. */
  readonly confirmAt?: string;
}

interface Place {
  readonly bucket: string;
  readonly prefix: string;
}

/**
 * The keys in the place that a body names; other records are ignored. The body may be a message of
 * SNS with the records in it.
 *
 * @throws NotJsonError
 */
export function readEvents(body: string, place: Place): Events {
  const content = parse(body);
  const { Type: type, Message: message, SubscribeURL: confirmAt } = content;
  if (type === "SubscriptionConfirmation") {
    return { keys: [], ...(typeof confirmAt === "string" && { confirmAt }) };
  }
  const { Records: records } = typeof message === "string" ? parse(message) : content;
  if (!Array.isArray(records)) return { keys: [] };
  return { keys: records.flatMap((record) => keysOf(record, place)) };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new NotJsonError("the body is not JSON");
  }
}

interface EventRecord {
  readonly s3?: {
    readonly bucket?: { readonly name?: unknown };
    readonly object?: { readonly key?: unknown };
  };
}

const keyBytesMax = 1024;

function keysOf(record: EventRecord | null, { bucket, prefix }: Place): readonly string[] {
  const key = record?.s3?.object?.key;
  if (typeof key !== "string" || record?.s3?.bucket?.name !== bucket) return [];
  return formsOf(key).filter(
    (form) =>
      form.startsWith(prefix) &&
      form !== "" &&
      form.isWellFormed() &&
      Buffer.byteLength(form) <= keyBytesMax,
  );
}

/** S3 and MinIO percent-encode keys, with `+` for a space; radosgw 16 does not. */
function formsOf(key: string): readonly string[] {
  const decoded = decodeKey(key);
  return typeof decoded !== "string" || decoded === key ? [key] : [key, decoded];
}
