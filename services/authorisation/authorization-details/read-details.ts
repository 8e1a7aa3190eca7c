/** Reads the request parameter `authorization_details` (RFC 9396 section 2). */
import { errors } from "../overrides/library.ts";
import { type BucketDetail, bucketDetailSchema } from "./bucket-detail.ts";

const entriesMax = 16;

/** A token has at most 8 KiB, and contains other claims too. */
const detailsBytesMax = 3 * 1024;

/**
 * Reads the parameter. No parameter and an empty list mean the same: no limit.
 *
 * @throws errors.InvalidAuthorizationDetails if it is no list of valid entries, or too long
 */
export function readDetails(text: string | undefined): readonly BucketDetail[] | undefined {
  if (text === undefined) return undefined;
  requireFitting(text);
  const list = parse(text);
  if (!Array.isArray(list)) throw refuse("need a JSON array of objects");
  if (list.length > entriesMax) {
    throw refuse(`got ${list.length} entries, need at most ${entriesMax}`);
  }
  return list.length === 0 ? undefined : list.map(readDetail);
}

function requireFitting(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > detailsBytesMax) throw refuse(`got ${bytes} bytes, need at most ${detailsBytesMax}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new errors.InvalidAuthorizationDetails("authorization_details is not JSON", { cause });
  }
}

function readDetail(entry: unknown, index: number): BucketDetail {
  const outcome = bucketDetailSchema.safeParse(entry);
  if (outcome.success) return outcome.data;
  const [issue] = outcome.error.issues;
  const place = [index, ...(issue?.path ?? [])].join(".");
  throw refuse(
    `${place}: ${issue?.code === "invalid_format" ? "of a wrong form" : issue?.message}`,
  );
}

function refuse(fault: string) {
  return new errors.InvalidAuthorizationDetails(`authorization_details cannot be used: ${fault}`);
}
