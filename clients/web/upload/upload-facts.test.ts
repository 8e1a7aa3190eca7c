import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  AliasSchema,
  MetaUploadSchema,
  MetaUploadType,
  type Upload,
  UploadSchema,
  UploadType,
} from "@stowage/api/svc/api/v1/upload_pb";
import { relatedOfAlias, relatedOfMetaUpload } from "./related-facts.ts";
import { factsOf, webHref } from "./upload-facts.ts";

const time = { seconds: 1_795_399_445n, nanos: 123_456_000 };

const full: Upload = create(UploadSchema, {
  uploadId: "u",
  filename: "a.txt",
  path: "/",
  slug: "letter",
  url: "https://example.com/a",
  contentUrl: "https://example.com/content",
  sizeBytes: 5n,
  type: UploadType.TEXT,
  tags: ["one", "t\u202ewo"],
  integrationId: "i",
  integration: { name: "Scanner", folderLinkUrl: "javascript:alert(1)" },
  allowAnyExtension: true,
  defaultSlugExtension: "txt",
  generatedDescription: "A letter.",
  private: true,
  createdAt: time,
  updatedAt: time,
  author: { userId: 7n, username: "ada" },
  lastModifiedBy: { userId: 8n },
  thumbnailGenerationVersion: 1,
  virusScanGenerationVersion: 4,
  aiDescriptionInputRef: "page 1",
  externalPath: "/raw/a.txt",
  order: -3,
  isVirtualFile: true,
  integrationHidden: true,
});

const valuesOf = (upload: Upload) =>
  Object.fromEntries(factsOf(upload).map(({ label, values }) => [label, values.join("; ")]));

describe("the facts of an upload", () => {
  it("are all that is known", () => {
    const { Created: created, "Last changed": changed, ...facts } = valuesOf(full);
    assert.match(created ?? "", /2026/);
    assert.equal(changed, created);
    assert.deepEqual(facts, {
      Size: "5 bytes",
      Type: "Text",
      "Created by": "ada",
      "Last changed by": "User 8",
      Tags: "one; t\\u{202e}wo",
      Description: "A letter.",
      "Description based on": "page 1",
      Integration: "Scanner",
      Address: "https://example.com/a",
      "Address of the content": "https://example.com/content",
      "Original path": "/raw/a.txt",
      "Name in links": "letter",
      "Extension in links": "txt, any",
      Order: "-3",
      Flags: "private; represents a folder; hidden from other integrations",
      Generated: "thumbnail, version 1; virus scan, version 4",
      ID: "u",
    });
  });

  it("leave out what is empty", () => {
    const bare = create(UploadSchema, { uploadId: "u", filename: "a", slug: "a", path: "/" });
    assert.deepEqual(valuesOf(bare), { Size: "0 bytes", ID: "u" });
  });

  it("lead only to the web", () => {
    const hrefOf = (label: string, contentAddress?: string) =>
      factsOf(full, contentAddress).find((fact) => fact.label === label)?.href;
    assert.equal(hrefOf("Integration"), undefined);
    assert.equal(hrefOf("Address of the content"), "https://example.com/content");
    const onPage = "https://page.example.com/content/b/u";
    assert.equal(hrefOf("Address of the content", onPage), onPage);
    assert.equal(webHref("https://example.com/a b"), "https://example.com/a%20b");
    for (const address of ["javascript:alert(1)", "data:text/html,x", "/a", "", "file:///etc"]) {
      assert.equal(webHref(address), undefined, address);
    }
  });
});

describe("what belongs to an upload", () => {
  it("says who may use an alias, how often and until when", () => {
    const alias = create(AliasSchema, {
      aliasId: "a",
      path: "/shared",
      slug: "letter",
      url: "https://example.com/letter",
      hasPassword: true,
      expiresAt: time,
      maxUses: 10,
      useCount: 3,
      allowedUserIds: [1n, 2n],
    });
    const expiryMs = Number(time.seconds) * 1000;
    const { name, href, notes } = relatedOfAlias(alias, expiryMs - 1);
    assert.equal(name, "/shared/letter");
    assert.equal(href, "https://example.com/letter");
    assert.match(notes[0] ?? "", /^Expires /);
    assert.deepEqual(notes.slice(1), [
      "Needs a password",
      "Used 3 of 10 times",
      "Only for users 1, 2",
    ]);
    assert.match(relatedOfAlias(alias, expiryMs).notes[0] ?? "", /^Expired /);
    assert.deepEqual(relatedOfAlias(create(AliasSchema, { slug: "x" }), 0).notes, []);
  });

  it("names derived files", () => {
    const meta = create(MetaUploadSchema, {
      metadataId: "m",
      type: { type: MetaUploadType.MetaUploadType_THUMBNAIL, n: 2, filename: "small.png" },
      downloadUrl: "https://example.com/small.png",
    });
    assert.deepEqual(relatedOfMetaUpload(meta), {
      id: "m",
      name: "small.png",
      href: "https://example.com/small.png",
      notes: ["Thumbnail 2"],
    });
    assert.equal(relatedOfMetaUpload(create(MetaUploadSchema, { metadataId: "m" })).name, "m");
  });
});
