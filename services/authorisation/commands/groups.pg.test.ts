import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import { runToEnd } from "../testing/run-program.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

function run(...commandLine: string[]) {
  const settings = { DATABASE_URL: database.databaseUrl };
  return runToEnd("commands/groups.ts", commandLine, settings);
}

const bucket = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";

it("groups are set, listed, replaced and removed", async () => {
  const places = ["--read", `${bucket}/photos/2024`, "--read", `${bucket}/a b`];
  const set = await run("set", "/staff/guests", "--organisation", "acme", ...places);
  assert.deepEqual([set.code, set.stderr], [0, ""]);
  await run("set", "staff", "--organisation", "acme", "--read", bucket);
  await run("set", "staff", "--organisation", "globex");
  const { stdout } = await run("list", "--json");
  const read = { type: "bucket", identifier: bucket, actions: ["read"] };
  assert.deepEqual(JSON.parse(stdout), [
    {
      groupName: "/staff/guests",
      organisationId: "acme",
      authorizationDetails: [
        { ...read, locations: ["/photos/2024"] },
        { ...read, locations: ["/a b"] },
      ],
    },
    { groupName: "staff", organisationId: "globex", authorizationDetails: null },
  ]);
  const table = (await run("list")).stdout;
  assert.match(
    table,
    new RegExp(`^/staff/guests +acme +${bucket}/photos/2024 ${bucket}/a b$`, "m"),
  );
  assert.match(table, /^staff +globex +all buckets$/m);

  assert.equal((await run("remove", "staff")).code, 0);
  const again = await run("remove", "staff");
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /Cannot remove group staff: there is no such group/);
});

for (const place of ["photos", `${bucket}photos`, `${bucket}/../x`, `${bucket}/a/`]) {
  it(`a place is refused: ${place}`, async () => {
    const { code, stderr } = await run("set", "staff", "--organisation", "acme", "--read", place);
    assert.equal(code, 2);
    assert.match(stderr, /Need the ID of a bucket, or an ID and a path/);
  });
}
