import type {
  ListFolderTreeRequest,
  TextFilter,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import type { BucketName } from "../access/bucket-lookup.ts";
import {
  type FolderName,
  readBucketRef,
  readFilterText,
  readFolderRef,
} from "../access/request-fields.ts";
import { invalidField } from "../model/api-error.ts";
import { type NamePattern, namePattern } from "../model/name-pattern.ts";

export interface TreeRequest {
  readonly bucketName: BucketName;
  readonly folderName: FolderName;
  readonly filters: TreeFilters;
  readonly includeUploads: boolean;
  readonly includeRollups: boolean;
}

export interface TreeFilters {
  readonly path: NamePattern | undefined;
  readonly upload: NamePattern | undefined;
  /** Leave out branches without a match. */
  readonly onlyMatches: boolean;
  /** Levels to show; 0 is all. */
  readonly depthMax: number;
}

/** Throws `ApiError` FIELD_INVALID for the first invalid field. */
export function readTreeRequest(request: ListFolderTreeRequest): TreeRequest {
  return {
    bucketName: readBucketRef(request.bucketRef),
    folderName: readFolderRef(request.folder),
    filters: readFilters(request),
    includeUploads: request.includeUploads,
    includeRollups: request.includeRollups,
  };
}

function readFilters(request: ListFolderTreeRequest): TreeFilters {
  if (request.maxDepth < 0) {
    throw invalidField("maxDepth", `is ${request.maxDepth}; need 0 for all levels, or more`);
  }
  return {
    path: readTextFilter("pathFilter", request.pathFilter),
    upload: readTextFilter("uploadFilter", request.uploadFilter),
    onlyMatches: request.onlyMatches,
    depthMax: request.maxDepth,
  };
}

/** The pattern of a text filter, or undefined when the request has none. */
function readTextFilter(field: string, filter: TextFilter | undefined): NamePattern | undefined {
  if (filter === undefined) return undefined;
  const { rule, caseSensitive } = filter;
  if (rule.case === undefined) {
    throw invalidField(field, "has no rule; need one of equals, prefix, contains and glob");
  }
  const text = readFilterText(`${field}.${rule.case}`, rule.value);
  return namePattern(rule.case, text, caseSensitive);
}
