/** For tests: what lines of a file do to a bucket, one after the other. */
import { deterministicFolderId, deterministicUploadId } from "../../../model/deterministic-ids.ts";
import { ancestorPaths, parentPath } from "../../../model/path.ts";

interface ModelUpload {
  readonly path: string;
  readonly filename: string;
  readonly sizeBytes: number;
}

interface DescribedFolder {
  readonly id: string;
  readonly path: string;
  readonly colour: string;
}

export class BucketModel {
  /** Path by ID, colour by path. A folder that nobody described has no ID here. */
  readonly folders = new Map<string, { id: string | undefined; colour: string }>();
  readonly uploads = new Map<string, ModelUpload>();

  readonly #bucketId: string;
  // Since the file began.
  #uploadsBefore = new Map<string, ModelUpload>();
  #foldersBefore = new Set<string>();
  #broughtUploads = new Set<string>();
  /** The lines of folders that no later line replaces or deletes. */
  #describedFolders: DescribedFolder[] = [];
  /** Folders to remove if they are empty at the end, and whether with settings too. */
  #emptied = new Map<string, boolean>();

  constructor(bucketId: string) {
    this.#bucketId = bucketId;
  }

  beginFile(): void {
    this.#uploadsBefore = new Map(this.uploads);
    this.#foldersBefore = new Set(this.folders.keys());
    this.#broughtUploads = new Set();
    this.#describedFolders = [];
    this.#emptied = new Map();
  }

  putFolder(givenId: string | undefined, path: string, colour: string): void {
    // An ID made for a path is any other ID, once it is given to a folder.
    const id = givenId ?? deterministicFolderId(this.#bucketId, path);
    this.#keepDescribed((folder) => folder.id !== id && folder.path !== path);
    this.#describedFolders.push({ id, path, colour });
  }

  putUpload(givenId: string | undefined, { path, filename, sizeBytes }: ModelUpload): void {
    const id = givenId ?? deterministicUploadId(this.#bucketId, path, filename);
    this.uploads.set(id, { path, filename, sizeBytes });
    this.#broughtUploads.add(id);
  }

  delete(thing: { readonly uploadId: string } | { readonly path: string }): void {
    if ("uploadId" in thing) {
      this.#dropUpload(thing.uploadId);
      return;
    }
    const { path } = thing;
    for (const [id, upload] of this.uploads) {
      const full = `${upload.path === "/" ? "" : upload.path}/${upload.filename}`;
      if (isUnder(upload.path, path) || full === path) this.#dropUpload(id);
    }
    this.#keepDescribed((folder) => !isUnder(folder.path, path));
    for (const at of this.#foldersBefore) if (isUnder(at, path)) this.#emptied.set(at, true);
  }

  endFile(replaces: boolean): void {
    if (replaces) {
      for (const id of this.uploads.keys()) {
        if (!this.#broughtUploads.has(id)) this.uploads.delete(id);
      }
      for (const path of this.#foldersBefore) this.#emptied.set(path, true);
    }
    this.#writeDescribed();
    for (const [id, { path }] of this.#uploadsBefore) {
      if (!this.uploads.has(id)) this.#emptied.set(path, this.#emptied.get(path) ?? false);
    }
    this.#addImplied();
    this.#removeEmpty();
  }

  #keepDescribed(isKept: (folder: DescribedFolder) => boolean): void {
    this.#describedFolders = this.#describedFolders.filter(isKept);
  }

  #writeDescribed(): void {
    for (const { id, path } of this.#describedFolders) {
      for (const [at, folder] of this.folders) {
        if (folder.id !== id || at === path) continue;
        // It moves away. What is in it stays.
        this.folders.set(at, { id: undefined, colour: "" });
        this.#emptied.set(at, this.#emptied.get(at) ?? false);
      }
    }
    for (const { id, path, colour } of this.#describedFolders)
      this.folders.set(path, { id, colour });
  }

  #dropUpload(id: string): void {
    this.uploads.delete(id);
    this.#broughtUploads.delete(id);
  }

  /** Adds the folders that the file implies but does not contain. */
  #addImplied(): void {
    const holding = [
      "/",
      ...[...this.uploads.values()].flatMap(({ path }) => [path, ...ancestorPaths(path)]),
      ...[...this.folders.keys()].flatMap(ancestorPaths),
    ];
    for (const path of holding) {
      if (!this.folders.has(path)) this.folders.set(path, { id: undefined, colour: "" });
    }
  }

  #removeEmpty(): void {
    const byDepth = (paths: Iterable<string>) =>
      [...paths].toSorted((a, b) => ancestorPaths(b).length - ancestorPaths(a).length);
    const isWanted = (path: string) =>
      path === "/" ||
      this.#describedFolders.some((folder) => folder.path === path) ||
      [...this.uploads.values()].some((upload) => upload.path === path) ||
      [...this.folders.keys()].some((other) => other !== path && isUnder(other, path));
    for (let left = byDepth(this.#emptied.keys()); left.length > 0; ) {
      const [path, ...rest] = left as [string, ...string[]];
      const hasSettings = this.folders.get(path)?.colour !== "" && this.folders.has(path);
      const isRemoved = !isWanted(path) && (!hasSettings || this.#emptied.get(path));
      if (isRemoved) this.folders.delete(path);
      const above = isRemoved || !this.folders.has(path) ? parentPath(path) : undefined;
      if (above !== undefined && !this.#emptied.has(above)) this.#emptied.set(above, false);
      left = byDepth(new Set(above === undefined ? rest : [...rest, above]));
    }
  }
}

function isUnder(path: string, above: string): boolean {
  return path === above || path.startsWith(above === "/" ? "/" : `${above}/`);
}
