import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoProblems } from "./assert-no-problems.ts";
import { type FolderOrders, folderOrders } from "./folder-order.ts";
import { forbiddenImports, orderProblems } from "./imports.ts";
import { repositoryFiles } from "./repository.ts";

const packages = [
  { path: "api/package.json", text: '{"name": "@stowage/api"}' },
  { path: "libraries/process/package.json", text: '{"name": "@stowage/process"}' },
  { path: "libraries/access-token/package.json", text: '{"name": "@stowage/access-token"}' },
  { path: "services/uploads/package.json", text: '{"name": "@stowage/uploads"}' },
  { path: "services/authorisation/package.json", text: '{"name": "@stowage/authorisation"}' },
  { path: "clients/cli/package.json", text: '{"name": "stowage"}' },
  { path: "checks/package.json", text: '{"name": "@stowage/checks"}' },
];

/** An order of its own, so that these tests do not change when folders move. */
const orders: FolderOrders = {
  "services/uploads": {
    main: "below",
    lists: ["http/handler", "store"],
    trees: ["http/handler", "store"],
    http: "below",
    "http/handler": [],
    store: [],
  },
};

// Put together here, or it would be found in this file.
const dynamicImport = `await import(${JSON.stringify("@stowage/uploads")});`;

const forbidden: [path: string, statement: string, problem: string][] = [
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
    "services/uploads/http/a.ts",
    'import { a } from "@stowage/process/testing";',
    "only tests may import this",
  ],
  ["api/json/a.ts", 'import { a } from "./testing/b.ts";', "only tests may import this"],
  [
    "services/uploads/store/a.ts",
    'import { a } from "../lists/b.ts";',
    "store may import no other part",
  ],
  [
    "services/uploads/lists/a.ts",
    'import { a } from "../trees/b.ts";',
    "lists may import http/handler, store",
  ],
  [
    "services/uploads/trees/deep/a.ts",
    'import { a } from "../../http/listen.ts";',
    "trees may import http/handler, store",
  ],
  [
    "services/uploads/http/a.ts",
    'import { a } from "../main.ts";',
    "http may import http/handler, store",
  ],
  [
    "services/uploads/extra/a.ts",
    'import { a } from "../store/b.ts";',
    "folder-order.ts does not list the folder of extra/a.ts",
  ],
  [
    "services/uploads/http/a.ts",
    'import { a } from "../extra.ts";',
    "folder-order.ts does not list the folder of extra.ts",
  ],
];

const allowed: [path: string, statement: string][] = [
  ["services/uploads/main.ts", 'import { a } from "./lists/deep/a.ts";'],
  ["services/uploads/main.ts", 'import { a } from "./http/handler.ts";'],
  ["services/uploads/lists/a.ts", 'import { a } from "./deep/b.ts";'],
  ["services/uploads/lists/a.ts", 'import type { A } from "../http/handler.ts";'],
  ["services/uploads/http/a.ts", 'import { a } from "@stowage/api/json/read-json";'],
  ["services/uploads/trees/a.ts", 'import { a } from "../store/b.ts";'],
  ["libraries/process/a.test.ts", 'import { a } from "@stowage/process";'],
  ["libraries/access-token/a.test.ts", 'import { a } from "@stowage/process/testing";'],
  ["services/uploads/store/a.test.ts", 'import { a } from "../lists/b.ts";'],
  ["services/authorisation/store/a.ts", 'import { a } from "../provider/b.ts";'],
  ["services/uploads/store/a.pg.test.ts", 'import { a } from "@stowage/process/testing";'],
  ["clients/cli/a.ts", 'import { a } from "commander";'],
  ["clients/cli/a.test.ts", 'import { a } from "@stowage/process/testing";'],
  ["clients/cli/a.ts", 'import { a } from "@stowage/process/usage";'],
  ["checks/a.ts", 'import { a } from "node:fs";'],
];

describe("the import rule", () => {
  it("holds for every file", () => {
    assertNoProblems(forbiddenImports(repositoryFiles()));
  });

  for (const [path, text, problem] of forbidden) {
    it(`forbids ${path} to say ${JSON.stringify(text)}`, () => {
      const lines = forbiddenImports([...packages, { path, text }], orders);
      assert.deepEqual(
        lines.map((line) => line.replace(/ imports \S+: /, ": ")),
        [`${path}: ${problem}`],
      );
    });
  }

  for (const [path, text] of allowed) {
    it(`allows ${path} to say ${JSON.stringify(text)}`, () => {
      assert.deepEqual(forbiddenImports([...packages, { path, text }], orders), []);
    });
  }
});

describe("the folder order", () => {
  for (const [folder, order] of Object.entries(folderOrders)) {
    it(`of ${folder} runs downwards`, () => assertNoProblems(orderProblems(order)));
  }

  it("refuses a part that is listed above, or nowhere", () => {
    assert.deepEqual(orderProblems({ main: "below", lists: ["main", "stroe"], store: [] }), [
      "lists lists main, which is not below it",
      "lists lists stroe, which is not below it",
    ]);
  });
});
