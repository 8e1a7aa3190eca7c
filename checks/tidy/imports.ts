import { join } from "node:path/posix";
import { importsOf, packageNameOf } from "./import-statements.ts";
import { type Package, packageOf, packagesOf } from "./packages.ts";
import { isDevelopmentCode, type RepositoryFile } from "./repository.ts";

/** What packages may import of ours, by folder. Services and clients are started, not imported. */
const mayImport: Record<string, readonly string[]> = {
  api: [],
  libraries: [],
  services: ["api", "libraries"],
  clients: ["api"],
  checks: ["api", "libraries"],
};

/** What a part of the uploads service may import of the others: what stands under it. */
const uploadsMayImport: Record<string, readonly string[]> = {
  main: ["service", "settings", "server", "rpc", "store", "domain"],
  service: ["settings", "server", "rpc", "store", "domain"],
  import: ["settings", "store", "domain"],
  "check-documents": ["store", "domain"],
  server: ["rpc", "store", "domain"],
  rpc: ["store", "domain"],
  store: ["domain"],
  domain: [],
  settings: [],
};

const uploads = "services/uploads/";
const testing = "@stowage/process/testing";

/** One line for every import that crosses the rules above, or brings test code into a program. */
export function forbiddenImports(files: readonly RepositoryFile[]): readonly string[] {
  const packages = packagesOf(files);
  return files.flatMap((file) =>
    importsOf(file).flatMap((specifier) => {
      const fault = faultOf(file.path, specifier, packages);
      return fault === undefined ? [] : [`${file.path} imports ${specifier}: ${fault}`];
    }),
  );
}

function faultOf(
  path: string,
  specifier: string,
  packages: readonly Package[],
): string | undefined {
  const own = packageOf(path, packages);
  if (specifier.startsWith(".")) return faultOfPath(path, join(path, "..", specifier), packages);
  const name = packageNameOf(specifier);
  const target = packages.find((candidate) => candidate.name === name);
  if (target === undefined) return undefined;
  if (target === own) {
    // A test may come in by the front door, to show what the package exports.
    return isDevelopmentCode(path) ? undefined : "a package imports its own files by their path";
  }
  const area = areaOf(path);
  // The tests of a library may need a database as well; nothing of that gets into the library.
  if (specifier === testing && area === "libraries" && isDevelopmentCode(path)) return undefined;
  const allowed = mayImport[area] ?? [];
  if (!allowed.includes(areaOf(target.folder))) {
    return `${area}/ may import ${allowed.join(", ") || "nothing of ours"}`;
  }
  if (specifier.endsWith("/testing") && !isDevelopmentCode(path)) {
    return "only tests may import this";
  }
  return undefined;
}

function faultOfPath(
  path: string,
  target: string,
  packages: readonly Package[],
): string | undefined {
  if (packageOf(path, packages) !== packageOf(target, packages)) {
    return "a path may not lead into another package";
  }
  if (isDevelopmentCode(path)) return undefined;
  if (isDevelopmentCode(target)) return "only tests may import this";
  return path.startsWith(uploads) ? faultOfPart(partOf(path), partOf(target)) : undefined;
}

function faultOfPart(part: string, target: string): string | undefined {
  const allowed = uploadsMayImport[part];
  if (allowed === undefined) return `the import rule does not know the part ${part}`;
  if (part === target || allowed.includes(target)) return undefined;
  return `${part} may import ${allowed.join(", ") || "no other part"}`;
}

function areaOf(path: string): string {
  return path.split("/")[0] as string;
}

/** The folder directly under the service, or the file there without its ending. */
function partOf(path: string): string {
  return (path.slice(uploads.length).split("/")[0] as string).replace(/\.ts$/, "");
}
