import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as folders from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import * as uploads from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { requiredScopes } from "./authenticate.ts";

describe("requiredScopes", () => {
  it("says for every operation in the contract who may call it, and for no other", () => {
    const services = [uploads.BucketUploadsService, folders.BucketFoldersService];
    const operations = services.flatMap((service) =>
      service.methods.map((method) => `/${service.typeName}/${method.name}`),
    );
    assert.deepEqual(Object.keys(requiredScopes).sort(), operations.sort());
    for (const scope of Object.values(requiredScopes)) assert.match(scope, /^\S+$/);
  });
});
