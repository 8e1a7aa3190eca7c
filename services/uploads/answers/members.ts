/** The members of uploads and folders that are stored together, since few rows have them. */
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { RareMembers } from "./rare-members.ts";

/** `details` in schema/0004-uploads.sql. */
export const uploadDetails = new RareMembers(UploadSchema, {
  url: ["url"],
  contentUrl: ["contentUrl"],
  properties: [
    "allowAnyExtension",
    "defaultSlugExtension",
    "generatedDescription",
    "metaUploads",
    "private",
    "aliases",
  ],
  people: ["author", "lastModifiedBy"],
  versions: [
    "thumbnailGenerationVersion",
    "aiDescriptionGenerationVersion",
    "aiTagsGenerationVersion",
    "virusScanGenerationVersion",
    "aiDescriptionInputRef",
  ],
  kind: ["isVirtualFile"],
});

/** `settings` in schema/0003-integrations-and-folders.sql. */
export const folderSettings = new RareMembers(FolderSchema, {
  sharing: [
    "colour",
    "hasPublicDirectoryListing",
    "inheritedHasDirectoryListing",
    "privateAccess",
    "inheritedPrivateAccess",
    "isShareRoot",
  ],
  virtualFile: ["virtualFileEnabled", "virtualFileName"],
  external: ["virtualFileRootUploadId", "externalPath", "externalParentPath", "order"],
});
