/** The way in and out of the page, as people go it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { seriousFindings } from "./testing/audit.ts";
import { openVisitor, signIn } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

describe("signing in to the page", { skip: chromiumMissing }, () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  it("begins wherever the page is opened, and ends at the address that was asked for", async () => {
    await using visitor = await openVisitor(world);
    await signIn(visitor, world, "/?folder=%2Fphotos&sort=size_bytes");
    assert.equal(visitor.page.url(), `${world.url}/?folder=%2Fphotos&sort=size_bytes`);
    await visitor.page.getByText("harbour at dawn.png").first().waitFor();
    assert.deepEqual(await seriousFindings(visitor.page), []);
    assert.deepEqual(visitor.complaints, []);
  });
});
