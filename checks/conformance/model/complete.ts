/** Imported records with every field of an answer: those left out have their defaults. */
import type {
  Alias,
  Folder,
  Integration,
  MetaUpload,
  MetaUploadType,
  Upload,
  UserReference,
} from "./messages.ts";
import { parentOf } from "./path.ts";
import { nanosecondsOf, writeTime } from "./time.ts";

/** Stands for an ID or time that the import sets, which the model cannot know. */
export const setByImport = "(made by the import)";

export function completeIntegration(given: Partial<Integration>): Integration {
  return {
    integrationId: "",
    name: "",
    oauthClientId: "",
    folderBehavior: "INTEGRATION_FOLDER_BEHAVIOR_UNSPECIFIED",
    folderLinkUrl: "",
    ...given,
  };
}

export function completeUpload(
  given: Partial<Upload>,
  integrations: readonly Integration[],
): Upload {
  const { integration: _, ...stored } = given;
  return {
    uploadId: setByImport,
    filename: "",
    path: "/",
    url: "",
    contentUrl: "",
    sizeBytes: 0,
    type: "UPLOAD_TYPE_UNSPECIFIED",
    tags: [],
    integrationId: "",
    ...optional("integration", findIntegration(integrations, given.integrationId)),
    allowAnyExtension: false,
    defaultSlugExtension: "",
    generatedDescription: "",
    private: false,
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
    ...stored,
    slug: given.slug || given.filename || "",
    metaUploads: (given.metaUploads ?? []).map(completeMetaUpload),
    aliases: (given.aliases ?? []).map(completeAlias),
    createdAt: given.createdAt ? toMicroseconds(given.createdAt) : setByImport,
    updatedAt: given.updatedAt ? toMicroseconds(given.updatedAt) : setByImport,
    ...optional("author", given.author && completeUser(given.author)),
    ...optional("lastModifiedBy", given.lastModifiedBy && completeUser(given.lastModifiedBy)),
  };
}

export function completeFolder(
  given: Partial<Folder>,
  integrations: readonly Integration[],
): Folder {
  const { scopingIntegration: _, virtualFileIntegration: __, ...stored } = given;
  return {
    folderId: setByImport,
    path: "",
    colour: "",
    hasPublicDirectoryListing: false,
    inheritedHasDirectoryListing: false,
    privateAccess: false,
    inheritedPrivateAccess: false,
    isShareRoot: false,
    scopingIntegrationId: "",
    ...optional("scopingIntegration", findIntegration(integrations, given.scopingIntegrationId)),
    virtualFileEnabled: false,
    virtualFileName: "",
    virtualFileIntegrationId: "",
    ...optional(
      "virtualFileIntegration",
      findIntegration(integrations, given.virtualFileIntegrationId),
    ),
    virtualFileRootUploadId: "",
    externalPath: "",
    externalParentPath: "",
    order: 0,
    integrationHidden: false,
    ...stored,
    parentPath: parentOf(given.path ?? ""),
  };
}

function completeUser(given: Partial<UserReference>): UserReference {
  return { userId: 0, username: "", ...given };
}

function completeMetaUpload(given: Partial<MetaUpload>): MetaUpload {
  const type = given.type && completeMetaUploadType(given.type);
  return { metadataId: "", uploadUrl: "", downloadUrl: "", ...given, ...optional("type", type) };
}

function completeMetaUploadType(given: Partial<MetaUploadType>): MetaUploadType {
  return { type: "MetaUploadType_UNSPECIFIED", n: 0, filename: "", ...given };
}

function completeAlias(given: Partial<Alias>): Alias {
  const { expiresAt, createdAt } = given;
  return {
    aliasId: setByImport,
    uploadId: "",
    path: "",
    slug: "",
    url: "",
    hasPassword: false,
    maxUses: 0,
    useCount: 0,
    allowedUserIds: [],
    externalPath: "",
    ...given,
    ...optional("expiresAt", expiresAt && toMicroseconds(expiresAt)),
    ...optional("createdAt", createdAt && toMicroseconds(createdAt)),
  };
}

function toMicroseconds(time: string): string {
  return writeTime(nanosecondsOf(time));
}

function findIntegration(integrations: readonly Integration[], id: string | undefined) {
  return integrations.find(({ integrationId }) => integrationId === id);
}

/** The member, or no member: one that is `undefined` would not compare equal. */
function optional<Name extends string, Value>(name: Name, value: Value | undefined | "") {
  return (value ? { [name]: value } : {}) as { [Key in Name]?: Exclude<Value, ""> };
}
