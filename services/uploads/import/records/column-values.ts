/** The columns of each table that an import writes, and the value of a record in each. */
import { create } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { foldName, normaliseName } from "@stowage/api/names/fold-name";
import { type Upload, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { folderSettings, uploadDetails } from "../../answers/members.ts";
import { idPrefix } from "../../model/id-prefix.ts";
import { isoOfMicros } from "../../model/microseconds.ts";
import { isoAtOrBefore } from "../../model/timestamps.ts";
import type { CopyValue } from "../../postgres/copy-in.ts";
import { searchWords } from "../../search/search-words.ts";
import { signatureOf } from "../../search/signature.ts";
import type {
  BucketRecord,
  FolderRecord,
  IntegrationRecord,
  ObjectFields,
  UploadRecord,
} from "./record.ts";

type Values<Item> = Readonly<Record<string, (item: Item) => CopyValue>>;

export const bucketValues = {
  bucket_id: (record) => record.bucketId,
  hostname: (record) => record.hostname,
  organisation_id: (record) => record.organisationId,
  is_primary: ({ isPrimary }) => (typeof isPrimary === "boolean" ? isPrimary : null),
  is_first: ({ isPrimary }) => isPrimary === "if none",
} satisfies Values<BucketRecord>;

export const integrationValues = {
  integration_id: ({ integration }) => integration.integrationId,
  name: ({ integration }) => integration.name,
  oauth_client_id: ({ integration }) => integration.oauthClientId,
  folder_behavior: ({ integration }) => integration.folderBehavior,
  folder_link_url: ({ integration }) => integration.folderLinkUrl,
} satisfies Values<IntegrationRecord>;

export const folderValues = {
  folder_id: ({ folder }) => folder.folderId,
  path: ({ folder }) => folder.path,
  path_nfc: ({ folder }) => nfcWhereDifferent(folder.path),
  path_folded: ({ folder }) => foldedWhereDifferent(folder.path),
  scoping_integration_id: ({ folder }) => folder.scopingIntegrationId || null,
  virtual_file_integration_id: ({ folder }) => folder.virtualFileIntegrationId || null,
  settings: ({ folder }) => folderSettings.textOf(folder),
  integration_hidden: ({ folder }) => folder.integrationHidden,
} satisfies Values<FolderRecord>;

/** A path at which a folder must exist, with the values of a folder that the import makes there. */
interface PathItem {
  readonly bucketId: string;
  readonly path: string;
  readonly folderId: string;
  /** The folder must exist even if it is empty. */
  readonly isListed: boolean;
}

export const pathValues = {
  folder_id: (item) => item.folderId,
  path: (item) => item.path,
  path_nfc: (item) => nfcWhereDifferent(item.path),
  path_folded: (item) => foldedWhereDifferent(item.path),
  is_listed: (item) => item.isListed,
} satisfies Values<PathItem>;

export const uploadValues = {
  upload_id: ({ upload }) => upload.uploadId,
  id_prefix: ({ upload }) => idPrefix(upload.uploadId),
  filename: ({ upload }) => upload.filename,
  path: ({ upload }) => upload.path,
  filename_nfc: ({ upload }) => nfcWhereDifferent(upload.filename),
  filename_folded: ({ upload }) => foldedWhereDifferent(upload.filename),
  slug: ({ upload }) => otherSlug(upload),
  slug_nfc: ({ upload }) => nfcWhereDifferent(otherSlug(upload)),
  slug_folded: ({ upload }) => foldedWhereDifferent(otherSlug(upload)),
  size_bytes: ({ upload }) => upload.sizeBytes,
  type: ({ upload }) => upload.type,
  tags: ({ upload }) => unlessEmpty(upload.tags),
  integration_id: ({ upload }) => upload.integrationId || null,
  created_at: ({ upload }) => timeText(upload.createdAt),
  updated_at: ({ upload }) => timeText(upload.updatedAt),
  intent_metadata: ({ upload }) => metadataText(upload.intentMetadata),
  external_path: ({ upload }) => upload.externalPath || null,
  order: ({ upload }) => upload.order,
  integration_hidden: ({ upload }) => upload.integrationHidden,
  details: ({ upload }) => uploadDetails.textOf(upload),
  signature: ({ upload }) => searchOfUpload(upload).signature,
  search_words: ({ upload }) => searchOfUpload(upload).search_words,
} satisfies Values<UploadRecord>;

/** The columns of an upload that an object always has, without ID and times. */
const storedObjectValues = {
  path: ({ path }) => path,
  filename: ({ filename }) => filename,
  filename_nfc: ({ filename }) => nfcWhereDifferent(filename),
  filename_folded: ({ filename }) => foldedWhereDifferent(filename),
  size_bytes: ({ sizeBytes }) => sizeBytes,
  type: ({ type }) => type,
  external_path: ({ externalPath }) => externalPath || null,
  intent_metadata: ({ intentMetadata }) => metadataText(intentMetadata),
  signature: (object) => searchOfObject(object).signature,
  search_words: (object) => searchOfObject(object).search_words,
} satisfies Values<ObjectFields>;

export const objectColumns = Object.keys(storedObjectValues);

/** The columns of an upload that an object may have. */
export const objectValues = {
  upload_id: ({ uploadId }) => uploadId,
  id_prefix: ({ uploadId }) => idPrefix(uploadId),
  ...storedObjectValues,
  // Null: the upload keeps its tags. Without any, it has an empty array until it is merged.
  tags: ({ tags }) => tags ?? null,
  created_at: ({ createdAtMicros }) =>
    createdAtMicros === undefined ? null : isoOfMicros(createdAtMicros),
  updated_at: ({ updatedAtMicros }) => isoOfMicros(updatedAtMicros),
} satisfies Values<ObjectFields>;

const emptyUpload = {
  kind: "upload",
  line: 0,
  bucketId: "",
  upload: create(UploadSchema),
} as const;

/** The columns that an object does not have, with the values, in SQL, of a new upload. */
export const emptyUploadColumns: readonly [column: string, value: string][] = Object.entries(
  uploadValues,
)
  .filter(([column]) => !(column in objectValues))
  .map(([column, value]) => [column, literal(value(emptyUpload))]);

function literal(value: CopyValue): string {
  if (value === null) return "null";
  return typeof value === "string" ? `'${value}'` : String(value);
}

// Nearly every name is in form C already, and most are folded. They are then not stored twice.
function nfcWhereDifferent(name: string | null): string | null {
  const nfc = name === null ? null : normaliseName(name);
  return nfc === name ? null : nfc;
}

function foldedWhereDifferent(name: string | null): string | null {
  const folded = name === null ? null : foldName(name);
  return folded === name ? null : folded;
}

/** Null: the slug is the filename. */
function otherSlug({ slug, filename }: Upload): string | null {
  return slug === filename ? null : slug;
}

function unlessEmpty(tags: readonly string[]): readonly string[] | null {
  return tags.length === 0 ? null : tags;
}

function metadataText(metadata: object | undefined): string | null {
  return Object.keys(metadata ?? {}).length === 0 ? null : JSON.stringify(metadata);
}

function timeText(time: Timestamp | undefined): string | null {
  return time === undefined ? null : isoAtOrBefore(time);
}

/** What an upload is searched by; the names are folded. */
export interface Searched {
  readonly filename: string;
  /** Undefined: the filename. */
  readonly slug: string | undefined;
  readonly tags: readonly string[];
  readonly isHidden: boolean;
}

/** The columns that the indexes of names and lists have of it. */
export function searchColumns({ filename, slug, tags, isHidden }: Searched) {
  const names = slug === undefined ? [filename] : [filename, slug];
  return {
    signature: signatureOf(names, tags, isHidden),
    search_words: searchWords(filename, slug, tags) ?? null,
  };
}

const searchOfUpload = ofLast((upload: Upload) => searchColumns(searched(upload)));
const searchOfObject = ofLast((object: ObjectFields) => searchColumns(searchedObject(object)));

/** The same function, which knows its last result: two columns of a row are made of one. */
function ofLast<Item, Value>(make: (item: Item) => Value): (item: Item) => Value {
  let last: { readonly item: Item; readonly value: Value } | undefined;
  return (item) => {
    if (last?.item !== item) last = { item, value: make(item) };
    return last.value;
  };
}

function searched({ filename, slug, tags, integrationHidden: isHidden }: Upload): Searched {
  const folded = foldName(filename);
  const foldedSlug = slug === filename ? folded : foldName(slug);
  return {
    ...{ filename: folded, tags, isHidden },
    slug: foldedSlug === folded ? undefined : foldedSlug,
  };
}

function searchedObject({ filename, tags = [] }: ObjectFields): Searched {
  return { filename: foldName(filename), slug: undefined, tags, isHidden: false };
}
