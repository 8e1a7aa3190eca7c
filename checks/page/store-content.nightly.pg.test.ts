/** Content in a real S3 store, which knows nothing of the page and allows it nothing. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type CephServer,
  cephIsMissing,
  chromiumMissing,
  startCeph,
} from "@stowage/process/testing";
import type { Page } from "playwright-core";
import { fillBucket } from "../testing/fill-bucket.ts";
import { uploadPanel } from "./testing/page-parts.ts";
import { download, openUpload, previews } from "./testing/previews.ts";
import { openSignedIn, type Visitor } from "./testing/visitor.ts";
import { organisationId, startWorld, type World } from "./testing/world.ts";

const hostname = "store.example";
const bucket = "files";

describe("content in an S3 store", { skip: chromiumMissing || cephIsMissing }, () => {
  let store: CephServer;
  before(async () => {
    store = await startCeph();
  });
  after(() => store?.stop());

  const origins = { "without an origin of its own": false, "with an origin of its own": true };
  for (const [how, hasContentOrigin] of Object.entries(origins)) {
    describe(how, () => {
      let world: World;
      let visitor: Visitor;
      let page: Page;
      let url: string;
      before(async () => {
        world = await startWorld({ hasContentOrigin, uploads: store.environment });
        url = `${world.url}/?bucket=${hostname}`;
        await fillBucket(store, bucket, world.files);
        const place = ["--bucket", hostname, "--organisation", organisationId, "--name", "store"];
        const address = ["--endpoint", store.endpoint, "--path-style"];
        await world.run(
          ["sources", "add", "s3", `s3://${bucket}`, ...place, ...address, "--sync"],
          undefined,
          store.environment,
        );
        visitor = await openSignedIn(world);
        page = visitor.page;
      });
      after(() => world?.[Symbol.asyncDispose]());

      for (const preview of previews) {
        it(`is shown if it is ${preview.what}`, async () => {
          await openUpload(page, url, preview);
          await preview.isShown(uploadPanel(page));
        });
      }

      it("is downloaded with its name", async () => {
        const [folder, name] = ["photos/2026", "Grüße aus Köln 🙂.png"];
        await openUpload(page, url, { folder, name });
        const downloaded = await download(page);
        assert.equal(downloaded.name, name);
        assert.ok(world.files.get(`${folder}/${name}`)?.equals(downloaded.bytes));
      });

      it("worked without a complaint of the browser", () => {
        assert.deepEqual(visitor.complaints, []);
      });
    });
  }
});
