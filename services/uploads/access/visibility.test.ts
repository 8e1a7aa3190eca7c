import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { arbitraryPath } from "../model/testing/arbitrary-path.ts";
import { treeKey } from "../model/tree-key.ts";
import { type FolderVisibility, folderVisibility, visibilityOf } from "./visibility.ts";

describe("folderVisibility()", () => {
  it("is what the rules say, for random locations and hidden folders", () => {
    const paths = fc.array(arbitraryPath, { maxLength: 4 });
    fc.assert(
      fc.property(paths, paths, arbitraryPath, (locations, hidden, path) => {
        const visibility = visibilityOf(locations, hidden.map(treeKey), "client");
        assert.equal(
          folderVisibility(visibility, treeKey(path)),
          standingByTheRules(locations, hidden, path),
        );
      }),
      { numRuns: 5000 },
    );
  });
});

function standingByTheRules(locations: string[], hidden: string[], path: string): FolderVisibility {
  if (hidden.some((folder) => isAtOrUnder(path, folder))) return "outside";
  if (locations.some((location) => isAtOrUnder(path, location))) return "inside";
  return locations.some((location) => isAtOrUnder(location, path)) ? "ancestor" : "outside";
}

function isAtOrUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
