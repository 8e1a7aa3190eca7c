/**
 * The one type of `authorization_details` (RFC 9396) that this service grants: what a token may do
 * in buckets. bucket-detail.schema.json says the same as JSON Schema; a test keeps them equal.
 */
import { uuidPattern } from "@stowage/process";
import { z } from "zod";

/** The `type` of an entry. */
export const bucketDetailType = "bucket";

/** In UTF-8, as in the uploads service. */
const pathBytesMax = 1024;
const locationsMax = 32;

const actions = ["read"] as const;

/** Not `.` or `..`, and without U+0000 and unpaired surrogates. */
const segment = String.raw`(?!\.{1,2}(?:/|$))[^/\u0000\p{Cs}]+`;
const path = new RegExp(`^(?:/|(?:/${segment})+)$`, "u");

/** An entry allows each combination of its members. The entries of a list add up. */
export const bucketDetailSchema = z
  .strictObject({
    type: z.literal(bucketDetailType),
    identifier: z
      .string()
      .regex(uuidPattern)
      .toLowerCase()
      .optional()
      .describe("The bucket's ID. Left out: every bucket of the token's organisation."),
    actions: z
      .array(z.enum(actions))
      .min(1)
      .max(actions.length)
      .describe("What may be done there."),
    locations: z
      .array(
        z
          .string()
          .max(pathBytesMax)
          .regex(path)
          .refine((location) => Buffer.byteLength(location) <= pathBytesMax, {
            error: `Too long: expected at most ${pathBytesMax} bytes`,
          }),
      )
      .min(1)
      .max(locationsMax)
      .optional()
      .describe(
        `Folders with all below, at most ${pathBytesMax} bytes. Left out: the whole bucket.`,
      ),
  })
  .describe("What an access token may do in buckets.");

/** A valid entry of `authorization_details`. */
export type BucketDetail = z.output<typeof bucketDetailSchema>;
