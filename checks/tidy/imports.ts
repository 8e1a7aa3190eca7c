import { join } from "node:path/posix";
import { type FolderOrder, type FolderOrders, folderOrders } from "./folder-order.ts";
import { importsOf } from "./imports-of.ts";
import { type Package, packageNameOf, packageOf, packagesOf } from "./packages.ts";
import { isDevelopmentCode, type RepositoryFile } from "./repository.ts";

/** The folders whose packages a package may import. Services and clients are only started. */
const mayImport: Record<string, readonly string[]> = {
  api: [],
  libraries: [],
  services: ["api", "libraries"],
  clients: ["api"],
  checks: ["api", "libraries"],
};

const testing = "@stowage/process/testing";
/** How all commands show help and wrong usage, and print text for people. */
const usage = "@stowage/process/usage";

/** One line for every import that these rules forbid, or that brings test code into a program. */
export function forbiddenImports(
  files: readonly RepositoryFile[],
  orders: FolderOrders = folderOrders,
): readonly string[] {
  const packages = packagesOf(files);
  return files.flatMap((file) =>
    importsOf(file).flatMap((specifier) => {
      const problem = problemOf(file.path, specifier, packages, orders);
      return problem === undefined ? [] : [`${file.path} imports ${specifier}: ${problem}`];
    }),
  );
}

function problemOf(
  path: string,
  specifier: string,
  packages: readonly Package[],
  orders: FolderOrders,
): string | undefined {
  const own = packageOf(path, packages);
  if (specifier.startsWith("."))
    return problemOfPath(path, join(path, "..", specifier), packages, orders);
  const name = packageNameOf(specifier);
  const target = packages.find((candidate) => candidate.name === name);
  if (target === undefined) return undefined;
  if (target === own) {
    // A test may import the package by its name, to test what it exports.
    return isDevelopmentCode(path) ? undefined : "a package imports its own files by their path";
  }
  const area = areaOf(path);
  // Tests may need a database, or another process. What they test must not import this.
  if (specifier === testing && isDevelopmentCode(path)) return undefined;
  if (specifier === usage && area === "clients") return undefined;
  const allowed = mayImport[area] ?? [];
  if (!allowed.includes(areaOf(target.folder))) {
    return `${area}/ may import ${allowed.join(", ") || "nothing of ours"}`;
  }
  if (specifier.endsWith("/testing") && !isDevelopmentCode(path)) {
    return "only tests may import this";
  }
  return undefined;
}

function problemOfPath(
  path: string,
  target: string,
  packages: readonly Package[],
  orders: FolderOrders,
): string | undefined {
  if (packageOf(path, packages) !== packageOf(target, packages)) {
    return "a path may not lead into another package";
  }
  if (isDevelopmentCode(path)) return undefined;
  if (isDevelopmentCode(target)) return "only tests may import this";
  const folder = packageOf(path, packages)?.folder;
  const order = folder === undefined ? undefined : orders[folder];
  if (folder === undefined || order === undefined) return undefined;
  return problemOfPart(path.slice(folder.length + 1), target.slice(folder.length + 1), order);
}

function problemOfPart(path: string, target: string, order: FolderOrder): string | undefined {
  const part = partOf(path, order);
  const targetPart = partOf(target, order);
  if (part === undefined) return `folder-order.ts does not list the folder of ${path}`;
  if (targetPart === undefined) return `folder-order.ts does not list the folder of ${target}`;
  const allowed = allowedParts(part, order);
  if (part === targetPart || allowed.includes(targetPart)) return undefined;
  return `${part} may import ${allowed.join(", ") || "no other part"}`;
}

/** The part with the longest path that a file belongs to. Both are relative to the package. */
function partOf(path: string, order: FolderOrder): string | undefined {
  return Object.keys(order)
    .filter((part) => path === `${part}.ts` || path.startsWith(`${part}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function allowedParts(part: string, order: FolderOrder): readonly string[] {
  const allowed = order[part] ?? [];
  return allowed === "below" ? partsBelow(part, order) : allowed;
}

function partsBelow(part: string, order: FolderOrder): readonly string[] {
  const parts = Object.keys(order);
  return parts.slice(parts.indexOf(part) + 1);
}

/** One line for every listed part that is not below the part that may import it. */
export function orderProblems(order: FolderOrder): readonly string[] {
  return Object.entries(order).flatMap(([part, allowed]) => {
    if (allowed === "below") return [];
    const below = partsBelow(part, order);
    return allowed
      .filter((target) => !below.includes(target))
      .map((target) => `${part} lists ${target}, which is not below it`);
  });
}

function areaOf(path: string): string {
  return path.split("/")[0] as string;
}
