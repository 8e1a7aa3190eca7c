import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoFaults } from "./assert-no-faults.ts";
import { forbiddenImports } from "./imports.ts";
import { repositoryFiles } from "./repository.ts";

const packages = [
  { path: "api/package.json", text: '{"name": "@stowage/api"}' },
  { path: "libraries/process/package.json", text: '{"name": "@stowage/process"}' },
  { path: "libraries/access-token/package.json", text: '{"name": "@stowage/access-token"}' },
  { path: "services/uploads/package.json", text: '{"name": "@stowage/uploads"}' },
  { path: "clients/cli/package.json", text: '{"name": "stowage"}' },
  { path: "checks/package.json", text: '{"name": "@stowage/checks"}' },
];

// Put together here, or it would be found in this file.
const dynamicImport = `await import(${JSON.stringify("@stowage/uploads")});`;

const forbidden: [path: string, statement: string, fault: string][] = [
  ["api/json/a.ts", 'import "@stowage/process";', "api/ may import nothing of ours"],
  [
    "libraries/process/a.ts",
    'export { type A, b } from "@stowage/access-token";',
    "libraries/ may import nothing of ours",
  ],
  [
    "libraries/access-token/a.ts",
    'import { a } from "@stowage/process/testing";',
    "libraries/ may import nothing of ours",
  ],
  [
    "libraries/access-token/a.test.ts",
    'import { a } from "@stowage/process";',
    "libraries/ may import nothing of ours",
  ],
  [
    "services/uploads/rpc/a.ts",
    'import {\n  a,\n} from "stowage";',
    "services/ may import api, libraries",
  ],
  ["clients/cli/a.ts", 'import type { A } from "@stowage/process";', "clients/ may import api"],
  ["checks/a.ts", dynamicImport, "checks/ may import api, libraries"],
  [
    "checks/tidy/a.test.ts",
    'import { a } from "../../api/json/a.ts";',
    "a path may not lead into another package",
  ],
  [
    "api/json/a.ts",
    'import { a } from "@stowage/api/json/b";',
    "a package imports its own files by their path",
  ],
  [
    "services/uploads/server/a.ts",
    'import { a } from "@stowage/process/testing";',
    "only tests may import this",
  ],
  ["api/json/a.ts", 'import { a } from "./b.testing.ts";', "only tests may import this"],
  [
    "services/uploads/domain/a.ts",
    'import { a } from "../store/b.ts";',
    "domain may import no other part",
  ],
  ["services/uploads/store/a.ts", 'import { a } from "../rpc/b.ts";', "store may import domain"],
  [
    "services/uploads/server/a.ts",
    'import { a } from "../main.ts";',
    "server may import rpc, store, domain",
  ],
  [
    "services/uploads/rpc/a.ts",
    'import { a } from "../import/b.ts";',
    "rpc may import store, domain",
  ],
  [
    "services/uploads/extra/a.ts",
    'import { a } from "../store/b.ts";',
    "the import rule does not know the part extra",
  ],
];

const allowed: [path: string, statement: string][] = [
  ["services/uploads/main.ts", 'import { a } from "./server/listen.ts";'],
  ["services/uploads/rpc/a.ts", 'import { a } from "@stowage/api/json/read-json";'],
  ["services/uploads/rpc/a.ts", 'import { a } from "../domain/b.ts";'],
  ["libraries/process/a.test.ts", 'import { a } from "@stowage/process";'],
  ["libraries/access-token/a.test.ts", 'import { a } from "@stowage/process/testing";'],
  ["services/uploads/domain/a.test.ts", 'import { a } from "../store/b.ts";'],
  ["services/uploads/store/a.pg.test.ts", 'import { a } from "@stowage/process/testing";'],
  ["clients/cli/a.ts", 'import { a } from "commander";'],
  ["checks/a.ts", 'import { a } from "node:fs";'],
];

describe("the import rule", () => {
  it("holds for every file", () => {
    assertNoFaults(forbiddenImports(repositoryFiles()));
  });

  for (const [path, text, fault] of forbidden) {
    it(`forbids ${path} to say ${JSON.stringify(text)}`, () => {
      const lines = forbiddenImports([...packages, { path, text }]);
      assert.deepEqual(
        lines.map((line) => line.replace(/ imports \S+: /, ": ")),
        [`${path}: ${fault}`],
      );
    });
  }

  for (const [path, text] of allowed) {
    it(`allows ${path} to say ${JSON.stringify(text)}`, () => {
      assert.deepEqual(forbiddenImports([...packages, { path, text }]), []);
    });
  }
});
