/** The rules of ListFolderTree, over plain arrays. */
import { type BucketRef, type Caller, type Visibility, visibilityIn } from "./caller.ts";
import { ModelError, type Rollup, type Tree, type TreeNode, type Upload } from "./messages.ts";
import { isWithin, normalisePath } from "./path.ts";
import type { Bucket } from "./records.ts";
import { compareCodePoints } from "./text.ts";
import { type TextFilter, textRule } from "./text-filter.ts";

export interface FolderRef {
  folderId?: string;
  path?: string;
}

export interface ListFolderTreeRequest {
  bucketRef?: BucketRef | null;
  folder?: FolderRef | null;
  includeUploads?: boolean;
  pathFilter?: TextFilter | null;
  uploadFilter?: TextFilter | null;
  onlyMatches?: boolean;
  maxDepth?: number;
  includeRollups?: boolean;
}

export function listFolderTree(
  buckets: readonly Bucket[],
  caller: Caller,
  request: ListFolderTreeRequest,
): Tree {
  const visibility = visibilityIn(buckets, caller, request.bucketRef);
  const rules = readRules(visibility, request);
  const listed = findFolder(visibility, request.folder);
  const depth = request.maxDepth || Number.POSITIVE_INFINITY;
  const children = childrenOf(listed, rules).map((node) => cut(node, depth));
  const uploads = rules.listedUploads(listed);
  return { children, uploads, ...rules.rollup(listed), isPartial: false };
}

function findFolder(visibility: Visibility, ref: FolderRef | null | undefined): string {
  const path = typeof ref?.path === "string" ? normalisePath(ref.path) : undefined;
  if (!ref || path === "/") return "/";
  const folder = visibility.bucket.folders.find(
    (each) => each.path === path || each.folderId === ref.folderId,
  );
  if (!folder || !visibility.mayName(folder.path)) throw new ModelError("not_found", "folder");
  return folder.path;
}

interface Rules {
  foldersIn(path: string): readonly Visibility["folders"][number][];
  listedUploads(path: string): Upload[];
  /** Matches the path filter, or there is none. */
  isOnPath(path: string): boolean;
  isMarked(path: string): boolean;
  /** A folder with one of these paths, or an ancestor of one, is kept. */
  isWanted(path: string): boolean;
  rollup(path: string): { rollup?: Rollup };
}

function readRules(visibility: Visibility, request: ListFolderTreeRequest): Rules {
  const { pathFilter, uploadFilter, includeUploads, onlyMatches, includeRollups } = request;
  const matchesPath = textRule(pathFilter);
  const matchesName = textRule(uploadFilter);
  const foldersIn = Map.groupBy(visibility.folders, ({ parentPath }) => parentPath);
  const uploadsIn = Map.groupBy(visibility.uploads, ({ path }) => path);
  const isMatch = ({ filename, slug }: Upload) => matchesName(filename) || matchesName(slug);

  const isOnPath = (path: string) => !pathFilter || (visibility.covers(path) && matchesPath(path));
  const holdsMatch = (path: string) => (uploadsIn.get(path) ?? []).some(isMatch);
  const hasFilter = Boolean(pathFilter || uploadFilter);
  const isMarked = (path: string) =>
    hasFilter && isOnPath(path) && (!uploadFilter || holdsMatch(path));
  return {
    isOnPath,
    isMarked,
    foldersIn: (path) => foldersIn.get(path) ?? [],
    isWanted: (path) => isOnPath(path) && (!(hasFilter && onlyMatches) || isMarked(path)),
    listedUploads: (path) =>
      includeUploads && isOnPath(path)
        ? (uploadsIn.get(path) ?? []).filter((each) => !uploadFilter || isMatch(each)).sort(byName)
        : [],
    rollup: (path) => (includeRollups ? { rollup: rollUp(visibility.uploads, path) } : {}),
  };
}

/** The subtree under a folder, without what the filters exclude. */
function childrenOf(path: string, rules: Rules): TreeNode[] {
  return rules
    .foldersIn(path)
    .toSorted((left, right) => compareCodePoints(left.path, right.path))
    .map((folder) => ({
      folder,
      children: childrenOf(folder.path, rules),
      matchesFilter: rules.isMarked(folder.path),
      uploads: rules.listedUploads(folder.path),
      truncated: false,
      ...rules.rollup(folder.path),
    }))
    .filter((node) => node.children.length > 0 || rules.isWanted(node.folder.path));
}

function cut(node: TreeNode, depth: number): TreeNode {
  if (depth > 1) return { ...node, children: node.children.map((child) => cut(child, depth - 1)) };
  return { ...node, children: [], truncated: node.children.length > 0 };
}

function byName(left: Upload, right: Upload): number {
  return (
    compareCodePoints(left.filename, right.filename) ||
    compareCodePoints(left.uploadId, right.uploadId)
  );
}

function rollUp(uploads: readonly Upload[], path: string): Rollup {
  const inside = uploads.filter((upload) => upload.path === path);
  const subtree = uploads.filter((upload) => isWithin(upload.path, path));
  return {
    uploadCount: inside.length,
    sizeBytes: sumSizes(inside),
    subtreeUploadCount: subtree.length,
    subtreeSizeBytes: sumSizes(subtree),
  };
}

function sumSizes(uploads: readonly Upload[]): number {
  return uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
