import { createContextKey, type HandlerContext } from "@connectrpc/connect";
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

const callerKey = createContextKey<AccessToken | undefined>(undefined, {
  description: "The verified token of the call",
});

/** Checks the token of a call, from its headers alone, and keeps it for the handler. */
export async function authenticate(
  context: HandlerContext,
  validator: AccessTokenValidator,
): Promise<void> {
  const scope = requiredScopes[methodPath(context.method)];
  if (scope === undefined)
    throw new Error(`Cannot authorise ${context.method.name}: it has no scope`);
  const bearerToken = readBearerToken(context.requestHeader.get("authorization") ?? undefined);
  const token = await validator.validate(bearerToken);
  requireScope(token, scope);
  context.values.set(callerKey, token);
}

/** The token that `authenticate` has checked. */
export function callerOf(context: HandlerContext): AccessToken {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new Error("Cannot serve a call: its token was not checked");
  return caller;
}

function methodPath(method: { parent: { typeName: string }; name: string }): string {
  return `/${method.parent.typeName}/${method.name}`;
}
