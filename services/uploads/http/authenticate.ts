/** Who may call: the scope of each operation, and the token and rate of each call. */
import type { DescMethod } from "@bufbuild/protobuf";
import type { AccessToken, AccessTokenValidator } from "@stowage/access-token";
import { createHttpGuard } from "@stowage/access-token/http";
import { BucketsService } from "@stowage/api/stowage/v1/buckets_service_pb";
import { ContentService } from "@stowage/api/stowage/v1/content_service_pb";
import { FoldersService } from "@stowage/api/stowage/v1/folders_service_pb";
import { UploadsService } from "@stowage/api/stowage/v1/uploads_service_pb";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { untilAborted } from "@stowage/process";
import type { NodeRequest } from "./node-http.ts";
import type { RunningCall } from "./running-call.ts";

export const bucketReadScope = "upl:bucket:read";

/** The scope that each operation requires, by path. A test compares the table with the contract. */
export const requiredScopes: Readonly<Record<string, string>> = {
  [methodPath(BucketUploadsService.method.listUploads)]: bucketReadScope,
  [methodPath(BucketFoldersService.method.listFolderTree)]: bucketReadScope,
  [methodPath(BucketsService.method.listBuckets)]: bucketReadScope,
  [methodPath(FoldersService.method.findFolders)]: bucketReadScope,
  [methodPath(UploadsService.method.getUpload)]: bucketReadScope,
  [methodPath(ContentService.method.createContentLink)]: bucketReadScope,
};

export function requiredScope(method: DescMethod): string {
  const scope = requiredScopes[methodPath(method)];
  if (scope === undefined) throw new Error(`Cannot authorise ${method.name}: it has no scope`);
  return scope;
}

export interface CallerChecks {
  readonly validator: AccessTokenValidator;
  /** Rejects a call beyond the rate of its caller. Undefined if nothing is limited. */
  readonly consumeRateLimit: ((caller: AccessToken) => Promise<void>) | undefined;
}

/**
 * Returns a function that validates the token in a request's headers, and stores the caller in the
 * record of the call. It throws `TokenRefusedError`.
 */
export function createAuthenticator(
  scope: string,
  { validator }: Pick<CallerChecks, "validator">,
): (request: NodeRequest, call: RunningCall) => Promise<AccessToken> {
  const guard = createHttpGuard<NodeRequest>(validator, { scope });
  return async (request, { record, signal }) => {
    const caller = await untilAborted(guard.authenticate(request), signal);
    record.caller = caller;
    return isInIndex(caller) ? caller : { ...caller, organisationId: undefined };
  };
}

/**
 * PostgreSQL has no text with U+0000, and refuses to compare one. So the index has no organisation
 * and no client with such an ID, and their tokens find nothing, like those of no organisation.
 */
function isInIndex({ organisationId = "", clientId }: AccessToken): boolean {
  return !organisationId.includes("\0") && !clientId.includes("\0");
}

/**
 * Counts a call with a valid token: nobody can use up the calls of others. Throws what
 * `consumeRateLimit` throws.
 */
export async function enforceRateLimit(
  caller: AccessToken,
  { consumeRateLimit }: Pick<CallerChecks, "consumeRateLimit">,
  { signal }: Pick<RunningCall, "signal">,
): Promise<void> {
  if (consumeRateLimit !== undefined) await untilAborted(consumeRateLimit(caller), signal);
}

/** The path of a method's requests. */
export function methodPath(method: { parent: { typeName: string }; name: string }): string {
  return `/${method.parent.typeName}/${method.name}`;
}
