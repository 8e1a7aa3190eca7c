import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { badNames } from "./names.ts";
import { repositoryFiles } from "./repository.ts";

describe("names of files and folders", () => {
  it("are in kebab-case and say what is inside", () => {
    assertNoProblems(badNames(repositoryFiles()));
  });

  for (const path of [
    "services/uploads/rpc/list-uploads.pg.test.ts",
    "services/uploads/schema/0001-create-buckets.sql",
    "api/proto/svc/api/v1/bucket_uploads_service.proto",
    "buf.gen.openapi.yaml",
    ".ci/run",
    "docs/README.md",
    "api/generated/svc/api/v1/upload_pb.ts",
  ]) {
    it(`may be ${path}`, () => assert.deepEqual(badNames([{ path, text: "" }]), []));
  }

  for (const [path, problem] of [
    ["rpc/listUploads.ts", "listUploads.ts is not in kebab-case"],
    ["rpc/list_uploads.ts", "list_uploads.ts is not in kebab-case"],
    ["Rpc/list.ts", "Rpc is not in kebab-case"],
    ["proto/listUploads.proto", "listUploads.proto is not in kebab-case"],
    ["rpc/utils.ts", "utils does not say what is inside"],
    ["rpc/path-helper.test.ts", "helper does not say what is inside"],
    ["common/path.ts", "common does not say what is inside"],
    ["rpc/test-support/path.ts", "test support is in folders called testing"],
    ["rpc/path.testing.ts", "test support is in folders called testing"],
  ] as const) {
    it(`may not be ${path}`, () => {
      assert.deepEqual(badNames([{ path, text: "" }]), [`${path}: ${problem}`]);
    });
  }
});
