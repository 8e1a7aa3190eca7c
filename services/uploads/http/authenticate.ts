import type { DescMethod } from "@bufbuild/protobuf";
import {
  type AccessToken,
  type AccessTokenValidator,
  readBearerToken,
  requireScope,
} from "@stowage/access-token";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";

/** The scope for reading buckets. */
export const bucketReadScope = "upl:bucket:read";

/** The scope that each operation needs. A test holds the table to the contract. */
export const requiredScopes: Readonly<Record<string, string>> = {
  [methodPath(BucketUploadsService.method.listUploads)]: bucketReadScope,
  [methodPath(BucketFoldersService.method.listFolderTree)]: bucketReadScope,
};

/** Checks the token of a call; throws `TokenRefusedError` for one that may not make it. */
export type Authenticate = (authorization: string | undefined) => Promise<AccessToken>;

/** The check for one operation. */
export function authenticateFor(method: DescMethod, validator: AccessTokenValidator): Authenticate {
  const scope = requiredScopes[methodPath(method)];
  if (scope === undefined) throw new Error(`Cannot authorise ${method.name}: it has no scope`);
  return async (authorization) => {
    const token = await validator.validate(readBearerToken(authorization));
    requireScope(token, scope);
    return token;
  };
}

/** The path of a method's requests. */
export function methodPath(method: { parent: { typeName: string }; name: string }): string {
  return `/${method.parent.typeName}/${method.name}`;
}
