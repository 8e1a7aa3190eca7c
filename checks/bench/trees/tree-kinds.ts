/** The trees that are measured, and what it takes to get the same documents by COPY. */
import type { Places } from "../database/find-places.ts";

export interface TreeKind {
  readonly name: string;
  /** The request. */
  readonly body: object;
  readonly queries: (places: Places) => readonly string[];
}

const folderDocuments = ({ bucketId }: Places) =>
  `select document from uploads.folders where bucket_id = '${bucketId}' order by tree_key`;

const uploadDocuments = ({ bucketId }: Places) =>
  `select document from uploads.uploads where bucket_id = '${bucketId}'
   order by folder_key, filename, upload_id`;

export const folderTree: TreeKind = {
  name: "folders",
  body: {},
  queries: (places) => [folderDocuments(places)],
};

export const uploadTree: TreeKind = {
  name: "folders and uploads",
  body: { includeUploads: true },
  queries: (places) => [folderDocuments(places), uploadDocuments(places)],
};
