/** The messages of answers, with every field, as the contract lists them. */

export interface Integration {
  integrationId: string;
  name: string;
  oauthClientId: string;
  folderBehavior: string;
  folderLinkUrl: string;
}

export interface UserReference {
  userId: number;
  username: string;
}

export interface MetaUploadType {
  type: string;
  n: number;
  filename: string;
}

export interface MetaUpload {
  type?: MetaUploadType;
  metadataId: string;
  uploadUrl: string;
  downloadUrl: string;
}

export interface Alias {
  aliasId: string;
  uploadId: string;
  path: string;
  slug: string;
  url: string;
  hasPassword: boolean;
  expiresAt?: string;
  maxUses: number;
  useCount: number;
  allowedUserIds: number[];
  createdAt?: string;
  externalPath: string;
}

export interface Upload {
  uploadId: string;
  filename: string;
  path: string;
  slug: string;
  url: string;
  contentUrl: string;
  sizeBytes: number;
  type: string;
  tags: string[];
  integrationId: string;
  integration?: Integration;
  allowAnyExtension: boolean;
  defaultSlugExtension: string;
  generatedDescription: string;
  metaUploads: MetaUpload[];
  private: boolean;
  aliases: Alias[];
  createdAt: string;
  updatedAt: string;
  author?: UserReference;
  lastModifiedBy?: UserReference;
  thumbnailGenerationVersion: number;
  aiDescriptionGenerationVersion: number;
  aiTagsGenerationVersion: number;
  virusScanGenerationVersion: number;
  aiDescriptionInputRef: string;
  intentMetadata: Record<string, object>;
  externalPath: string;
  order: number;
  isVirtualFile: boolean;
  integrationHidden: boolean;
}

export interface Folder {
  folderId: string;
  path: string;
  parentPath: string;
  colour: string;
  hasPublicDirectoryListing: boolean;
  inheritedHasDirectoryListing: boolean;
  privateAccess: boolean;
  inheritedPrivateAccess: boolean;
  isShareRoot: boolean;
  scopingIntegrationId: string;
  scopingIntegration?: Integration;
  virtualFileEnabled: boolean;
  virtualFileName: string;
  virtualFileIntegrationId: string;
  virtualFileIntegration?: Integration;
  virtualFileRootUploadId: string;
  externalPath: string;
  externalParentPath: string;
  order: number;
  integrationHidden: boolean;
}

export interface Rollup {
  uploadCount: number;
  sizeBytes: number;
  subtreeUploadCount: number;
  subtreeSizeBytes: number;
}

export interface TreeNode {
  folder: Folder;
  children: TreeNode[];
  matchesFilter: boolean;
  uploads: Upload[];
  truncated: boolean;
  rollup?: Rollup;
}

export interface Tree {
  children: TreeNode[];
  uploads: Upload[];
  rollup?: Rollup;
  /** No bucket of the model has a source. */
  isPartial: false;
}

/** An error answer. The model gives its code only. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: "not_found" | "invalid_argument" | "resource_exhausted";

  constructor(code: ModelError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
