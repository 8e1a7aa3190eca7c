import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { foldName } from "@stowage/api/names/fold-name";
import { randomCases, type TestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import pg from "pg";
import { createUploadsDatabase } from "../import/testing/import.ts";
import { type NameRule, namePattern } from "../model/name-pattern.ts";
import { searchedPattern, searchWords } from "./search-words.ts";

let database: TestDatabase;
let client: pg.Client;
before(async () => {
  database = await createUploadsDatabase();
  client = new pg.Client(database.databaseUrl);
  await client.connect();
});
after(async () => {
  await client.end();
  await database.drop();
});

/** Whether the index of names would find the upload by trigrams and by the pattern. */
async function finds(
  upload: { filename: string; slug: string | undefined; tags: readonly string[] },
  pattern: string,
): Promise<boolean> {
  const { filename, slug, tags } = upload;
  const { rows } = await client.query<{ finds: boolean }>(
    `select uploads.searched_text($1, null, $2) like $3 as finds`,
    [filename, searchWords(filename, slug, tags) ?? null, pattern],
  );
  return rows[0]?.finds === true;
}

describe("what the index of names contains", () => {
  it("matches the pattern of every search that finds the upload", async () => {
    const characters = fc.constantFrom(..."abqxz07._- %\\", ...["é", "ß", "ж", "日", "本", "😀"]);
    const name = fc.string({ unit: characters, minLength: 1, maxLength: 10 }).map(foldName);
    const rule = fc.constantFrom<NameRule>("equals", "prefix", "contains", "glob");
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          filename: name,
          slug: fc.option(name, { nil: undefined }),
          tags: fc.array(name, { maxLength: 2 }),
          rule,
          from: fc.nat(4),
          to: fc.nat(10),
          isSlug: fc.boolean(),
        }),
        async ({ filename, slug, tags, rule, from, to, isSlug }) => {
          const text = [...(isSlug && slug !== undefined ? slug : filename)];
          const part = {
            equals: () => text.join(""),
            prefix: () => text.slice(0, to).join(""),
            contains: () => text.slice(from, to).join(""),
            glob: () => `*${text.slice(0, from).join("")}*${text.slice(from).join("")}`,
          };
          const pattern = searchedPattern(namePattern(rule, part[rule](), false), tags);
          if (pattern === undefined) return;
          assert.ok(await finds({ filename, slug, tags }, pattern), pattern);
        },
      ),
      { numRuns: randomCases(2000) },
    );
  });

  it("lets short texts beyond ASCII and rare pairs be searched, and no common pair", () => {
    const isSearched = (text: string) =>
      searchedPattern(namePattern("contains", text, false)) !== undefined;
    for (const text of ["日", "é", "xq", "tax", ".md"]) assert.ok(isSearched(text), text);
    for (const text of ["e", "er", "__", "."]) assert.ok(!isSearched(text), text);
  });
});
