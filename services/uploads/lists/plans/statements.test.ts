import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { visibilityOf } from "../../access/visibility.ts";
import { searchPattern } from "../../model/name-pattern.ts";
import type { UploadQuery } from "../../model/upload-query.ts";
import type { NamedStatement } from "../../postgres/named-parameters.ts";
import { choosePlans } from "./choose-plans.ts";
import { listScope, listShape, type PageRequest, type UploadList } from "./parameters.ts";
import { pageClassOf, type Truncation } from "./plan.ts";
import { listStatements, planStatement } from "./statement.ts";
import { lookup, sampleBucket, someList, somePageSize } from "./testing/sample-bucket.ts";

/**
 * Texts that lists can have, and those of them that the server keeps for each connection, each with
 * a plan of 200 to 300 KB. One application uses a few of them.
 */
const textCounts = { all: 1117, prepared: 439 };

describe("the statements of lists", () => {
  it("have a known number of texts, whatever is asked for and whatever a bucket holds", () => {
    const [texts, others] = [textsOf(1), textsOf(2)];
    const all = new Map([...texts, ...others]);
    const prepared = [...all.values()].filter((isPrepared) => isPrepared);
    assert.deepEqual({ all: all.size, prepared: prepared.length }, textCounts);
    // The second seed adds hardly any: random lists have them all.
    assert.ok(all.size - texts.size < all.size / 20, `${all.size - texts.size} more`);
  });

  it("bind every table to the bucket by the same parameter", () => {
    for (const text of textsOf(3).keys()) {
      // Sizes and versions have the ID in place of the number.
      const tables = text.match(/(from|join) uploads\.(?!bucket_sizes|access_versions)\w+/g) ?? [];
      const bound = text.match(/bucket_number = \$\d+\b/g) ?? [];
      assert.ok(bound.length >= tables.length, text);
      assert.equal(new Set(bound).size, 1, text);
      assert.doesNotMatch(text, /bucket_number = \w+\./);
    }
  });

  it("are those in statements.sql (UPDATE_STATEMENTS=1 rewrites it)", () => {
    const file = new URL("./statements.sql", import.meta.url);
    const expected = [header, ...namedLists.map(sqlOfList)].join("\n");
    if (process.env.UPDATE_STATEMENTS === "1") writeFileSync(file, expected);
    assert.equal(readFileSync(file, "utf8"), expected);
  });
});

const truncations = fc.array(fc.record({ found: fc.nat(1000), uploadsInBucket: fc.nat(10 ** 8) }), {
  minLength: 50,
  maxLength: 50,
});
const shown = fc.constantFrom(
  visibilityOf(["/"], [], undefined, false),
  visibilityOf(["/"], [], "client"),
  visibilityOf(["/a", "/inbox"], [], undefined, false),
);
const someRequest = fc.record({
  list: fc.tuple(someList, shown).map(([list, visibility]) => ({ ...list, visibility })),
  filters: fc.constantFrom("none", "name", "any"),
  pageSize: somePageSize,
  after: fc.constantFrom(undefined, { sortKey: "0", uploadId: "1" }),
  truncations,
});

/** The texts of random lists of which every plan is truncated, and whether each is prepared. */
function textsOf(seed: number): Map<string, boolean> {
  const texts = new Map<string, boolean>();
  for (const each of fc.sample(someRequest, { seed, numRuns: 6000 })) {
    const { list, filters } = each;
    const { name } = list.query;
    const query = { ...list.query, ...(filters === "any" ? {} : noFilter) };
    if (filters === "name") query.name = name;
    for (const { statement } of statementsOf({ ...list, query }, each, each.truncations)) {
      texts.set(statement.text, statement.name !== undefined);
    }
  }
  return texts;
}

function* statementsOf(list: UploadList, request: PageRequest, truncations: readonly Truncation[]) {
  const scope = listScope(list);
  if (scope === undefined) return;
  const plans = choosePlans(list, scope, request);
  for (let next = plans.next(), tried = 0; next.done !== true; tried++) {
    const { plan } = next.value;
    const named = planStatement(plan, listShape(list, scope), pageClassOf(request.pageSize));
    yield { plan, named, statement: listStatements(list, scope, request)(next.value) };
    const truncation = truncations[tried % truncations.length];
    next = plans.next(truncation ?? { found: 0, uploadsInBucket: 1_000_000 });
  }
}

const noFilter = {
  tags: { allOf: [], anyOf: [], noneOf: [] },
  createdFrom: undefined,
  createdTo: undefined,
  name: undefined,
};

const firstPage = { after: undefined, pageSize: 50 };

const newest: UploadQuery = {
  ...noFilter,
  path: undefined,
  recursive: false,
  sortBy: "created_at",
  sortOrder: "desc",
};

const namedLists: readonly (readonly [name: string, query: UploadQuery])[] = [
  ["The newest uploads of a bucket.", newest],
  [
    "A search by name in a bucket, the largest first.",
    { ...newest, name: searchPattern("report"), sortBy: "size_bytes" },
  ],
  [
    "The uploads of a folder with a tag, by filename.",
    {
      ...newest,
      path: "/inbox",
      tags: { ...noFilter.tags, allOf: ["final"] },
      sortBy: "filename",
      sortOrder: "asc",
    },
  ],
  [
    "The uploads of a subtree that were created since a date, by the time of their last change.",
    { ...newest, path: "/a", recursive: true, createdFrom: 0n, sortBy: "updated_at" },
  ],
];

const header = `\
-- The statements of lists: for a few requests every kind of plan, in the order in which they are
-- tried. The page is that of the first plan that is not truncated. Row budgets grow with each
-- try; only the first of each kind is shown. statements.test.ts writes this file.
`;

/** The first statement of each kind of plan. */
function sqlOfList([name, query]: (typeof namedLists)[number]): string {
  const visibility = visibilityOf(["/"], [], undefined, false);
  const seen = new Set<string>();
  const parts = [`-- ${name}\n`];
  for (const { plan, named } of statementsOf(
    { ...sampleBucket, lookup, visibility, query },
    firstPage,
    [],
  )) {
    if (seen.has(plan.kind)) continue;
    seen.add(plan.kind);
    const budget = "budget" in plan ? `, at most ${plan.budget} entries` : "";
    parts.push(`-- ${plan.kind}${budget}\n${layout(named)};\n`);
  }
  return parts.join("\n");
}

/** Names in place of numbers, and indentation by parentheses. */
function layout({ text, parameters }: NamedStatement): string {
  const named = text.replace(/\$(\d+)/g, (_, number) => `:${parameters[Number(number) - 1]}`);
  const lines: string[] = [];
  let depth = 0;
  for (const line of named.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const closing = /^\)*/.exec(line)?.[0].length ?? 0;
    lines.push(`${"  ".repeat(depth - closing)}${line}`);
    depth += line.split("(").length - line.split(")").length;
  }
  return lines.join("\n");
}
