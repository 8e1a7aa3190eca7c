/** An import with every field of every message, and the answers to it. */
import type { Folder, Integration, Upload } from "../model/messages.ts";
import type { Line } from "../model/records.ts";
import { bucketIds, callers, ownOrganisation } from "./tenants.ts";

const integration: Integration = {
  integrationId: "7e0fd4a2-0f6e-4f4c-8a54-6a1f000000a1",
  name: "Notes \u{1f4d3}",
  oauthClientId: callers.notes.clientId,
  folderBehavior: "INTEGRATION_FOLDER_BEHAVIOR_OPEN_LINK",
  folderLinkUrl: "https://notes.example.com/open",
};

const otherIntegration: Integration = {
  integrationId: "7e0fd4a2-0f6e-4f4c-8a54-6a1f000000a2",
  name: "Scans",
  oauthClientId: "another client",
  folderBehavior: "INTEGRATION_FOLDER_BEHAVIOR_OPEN_IN_FOLDER",
  folderLinkUrl: "https://scans.example.com/",
};

/** The upload in the answer. The import of it is `importedUpload`. */
export const fullUpload: Upload = {
  uploadId: "5f0e7b1c-3a44-4a55-9d6e-0000000000f1",
  filename: 'R\u00e9sum\u00e9 "final" 100%.pdf',
  path: "/every/field",
  slug: "resume-final",
  url: "https://primary.example.com/u/resume-final",
  contentUrl: "https://primary.example.com/c/resume-final?x=1&y=%20",
  sizeBytes: 9007199254740991,
  type: "UPLOAD_TYPE_DOCUMENT",
  tags: ["red", "r\u00e9d", "red", "a b", "\u{1f600}"],
  integrationId: integration.integrationId,
  integration,
  allowAnyExtension: true,
  defaultSlugExtension: "pdf",
  generatedDescription: "Two pages.\n\tWith </script> and \u2028 in it.",
  metaUploads: [
    {
      type: { type: "MetaUploadType_THUMBNAIL", n: 3, filename: "thumb-3.webp" },
      metadataId: "metadata-1",
      uploadUrl: "https://primary.example.com/m/1/put",
      downloadUrl: "https://primary.example.com/m/1",
    },
    { metadataId: "metadata-2", uploadUrl: "", downloadUrl: "" },
  ],
  private: true,
  aliases: [
    {
      aliasId: "alias-1",
      uploadId: "5f0e7b1c-3a44-4a55-9d6e-0000000000f1",
      path: "/shared",
      slug: "cv",
      url: "https://primary.example.com/a/cv",
      hasPassword: true,
      expiresAt: "2027-01-01T00:00:00.000001Z",
      maxUses: 10,
      useCount: 4,
      allowedUserIds: [1, 9007199254740991, 0],
      createdAt: "2026-02-03T04:05:06.700Z",
      externalPath: "ext/cv",
    },
    {
      aliasId: "alias-2",
      uploadId: "5f0e7b1c-3a44-4a55-9d6e-0000000000f1",
      path: "",
      slug: "",
      url: "",
      hasPassword: false,
      maxUses: 0,
      useCount: 0,
      allowedUserIds: [],
      externalPath: "",
    },
  ],
  createdAt: "2026-01-02T03:04:05.678901Z",
  updatedAt: "2026-01-02T01:04:05.120Z",
  author: { userId: 9007199254740991, username: "ana" },
  lastModifiedBy: { userId: 7, username: "Bj\u00f6rn" },
  thumbnailGenerationVersion: 1,
  aiDescriptionGenerationVersion: 2,
  aiTagsGenerationVersion: 3,
  virusScanGenerationVersion: 2147483647,
  aiDescriptionInputRef: "ref:1",
  intentMetadata: {
    "": { empty: {} },
    "print.job": { copies: 2, options: { duplex: true, pages: [1, 2.5, -3e100], note: null } },
    constructor: { "\u{1f600}": "\uff5e", quote: '"\\' },
    // What the service writes itself for a mirrored upload.
    own: { url: "", contentUrl: `/content/${bucketIds.primary}/1`, sizeBytes: 1, description: "" },
  },
  externalPath: "s3://bucket/key",
  order: -2147483648,
  isVirtualFile: true,
  integrationHidden: true,
};

/** With an outdated embedded integration and too many digits, both of which the import ignores. */
const importedUpload = {
  ...fullUpload,
  integration: otherIntegration,
  createdAt: "2026-01-02T04:04:05.678901999+01:00",
  updatedAt: "2026-01-02T01:04:05.12Z",
};

const upperFolder = {
  folderId: "5f0e7b1c-3a44-4a55-9d6e-0000000000f2",
  path: "/every",
  hasPublicDirectoryListing: true,
  privateAccess: true,
};

export const fullFolder: Folder = {
  folderId: "5f0e7b1c-3a44-4a55-9d6e-0000000000f3",
  path: "/every/field",
  parentPath: "/every",
  colour: "#ff8800",
  hasPublicDirectoryListing: true,
  inheritedHasDirectoryListing: true,
  privateAccess: true,
  inheritedPrivateAccess: true,
  isShareRoot: true,
  scopingIntegrationId: integration.integrationId,
  scopingIntegration: integration,
  virtualFileEnabled: true,
  virtualFileName: "all.zip",
  virtualFileIntegrationId: otherIntegration.integrationId,
  virtualFileIntegration: otherIntegration,
  virtualFileRootUploadId: "5f0e7b1c-3a44-4a55-9d6e-0000000000f1",
  externalPath: "ext/field",
  externalParentPath: "ext",
  order: 2147483647,
  integrationHidden: true,
};

/** Without any optional member. */
const bareUpload = { path: "/bare", filename: "bare", sizeBytes: 0 };

export const everyFieldLines: readonly Line[] = [
  {
    bucket: {
      bucketId: bucketIds.primary,
      hostname: "Every.Example.com",
      organisationId: ownOrganisation,
      primary: true,
    },
  },
  { upload: importedUpload },
  { folder: { ...fullFolder, scopingIntegration: otherIntegration } },
  { upload: bareUpload },
  { folder: { path: "/bare" } },
  { folder: upperFolder },
  { integration },
  { integration: otherIntegration },
];

/** The answer without `uploadId`, `createdAt` and `updatedAt`, which the import sets. */
export const bareUploadAnswer: Omit<Upload, "uploadId" | "createdAt" | "updatedAt"> = {
  filename: "bare",
  path: "/bare",
  slug: "bare",
  url: "",
  contentUrl: "",
  sizeBytes: 0,
  type: "UPLOAD_TYPE_UNSPECIFIED",
  tags: [],
  integrationId: "",
  allowAnyExtension: false,
  defaultSlugExtension: "",
  generatedDescription: "",
  metaUploads: [],
  private: false,
  aliases: [],
  thumbnailGenerationVersion: 0,
  aiDescriptionGenerationVersion: 0,
  aiTagsGenerationVersion: 0,
  virusScanGenerationVersion: 0,
  aiDescriptionInputRef: "",
  intentMetadata: {},
  externalPath: "",
  order: 0,
  isVirtualFile: false,
  integrationHidden: false,
};

const bareFolderFields = {
  colour: "",
  hasPublicDirectoryListing: false,
  inheritedHasDirectoryListing: false,
  privateAccess: false,
  inheritedPrivateAccess: false,
  isShareRoot: false,
  scopingIntegrationId: "",
  virtualFileEnabled: false,
  virtualFileName: "",
  virtualFileIntegrationId: "",
  virtualFileRootUploadId: "",
  externalPath: "",
  externalParentPath: "",
  order: 0,
  integrationHidden: false,
};

/** The answer without `folderId`, which the import sets. */
export const bareFolderAnswer: Omit<Folder, "folderId"> = {
  ...bareFolderFields,
  path: "/bare",
  parentPath: "/",
};

export const upperFolderAnswer: Folder = { ...bareFolderFields, ...upperFolder, parentPath: "/" };
