import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as buckets from "@stowage/api/stowage/v1/buckets_service_pb";
import * as content from "@stowage/api/stowage/v1/content_service_pb";
import * as found from "@stowage/api/stowage/v1/folders_service_pb";
import * as single from "@stowage/api/stowage/v1/uploads_service_pb";
import * as folders from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import * as uploads from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { requiredScopes } from "./authenticate.ts";

describe("requiredScopes", () => {
  it("has exactly the operations of the contract", () => {
    const services = [
      uploads.BucketUploadsService,
      folders.BucketFoldersService,
      buckets.BucketsService,
      content.ContentService,
      found.FoldersService,
      single.UploadsService,
    ];
    const operations = services.flatMap((service) =>
      service.methods.map((method) => `/${service.typeName}/${method.name}`),
    );
    assert.deepEqual(Object.keys(requiredScopes).sort(), operations.sort());
    for (const scope of Object.values(requiredScopes)) assert.match(scope, /^\S+$/);
  });
});
