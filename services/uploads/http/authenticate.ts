import type { DescMethod } from "@bufbuild/protobuf";
import type { AccessToken, AccessTokenValidator } from "@stowage/access-token";
import { createHttpGuard } from "@stowage/access-token/http";
import { BucketsService } from "@stowage/api/stowage/v1/buckets_service_pb";
import { ContentService } from "@stowage/api/stowage/v1/content_service_pb";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { NodeRequest } from "./node-http.ts";

export const bucketReadScope = "upl:bucket:read";

/** The scope that each operation requires, by path. A test compares the table with the contract. */
export const requiredScopes: Readonly<Record<string, string>> = {
  [methodPath(BucketUploadsService.method.listUploads)]: bucketReadScope,
  [methodPath(BucketFoldersService.method.listFolderTree)]: bucketReadScope,
  [methodPath(BucketsService.method.listBuckets)]: bucketReadScope,
  [methodPath(ContentService.method.createContentLink)]: bucketReadScope,
};

/** Validates the token in a request's headers. Throws `TokenRefusedError`. */
type Authenticate = (request: NodeRequest) => Promise<AccessToken>;

/** The token check of one operation. */
export function authenticateFor(method: DescMethod, validator: AccessTokenValidator): Authenticate {
  const scope = requiredScopes[methodPath(method)];
  if (scope === undefined) throw new Error(`Cannot authorise ${method.name}: it has no scope`);
  return createHttpGuard<NodeRequest>(validator, { scope }).authenticate;
}

/** The path of a method's requests. */
export function methodPath(method: { parent: { typeName: string }; name: string }): string {
  return `/${method.parent.typeName}/${method.name}`;
}
