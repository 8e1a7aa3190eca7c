/** What ends a session of the page, seen from the page, with the real authorisation service. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, until } from "@stowage/process/testing";
import type { Page } from "playwright-core";
import { callListBuckets } from "./testing/page-parts.ts";
import { openSignedIn } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

async function call(page: Page): Promise<[status: number, reason: string | undefined]> {
  const { status, text } = await callListBuckets(page);
  return [status, /"reason":"([A-Z_]+)"/.exec(text)?.[1]];
}

describe("a session of the page", { skip: chromiumMissing }, () => {
  let world: World;
  before(async () => {
    // Tokens with a minute to live are refreshed for every call.
    world = await startWorld({ authorisation: { ACCESS_TOKEN_LIFETIME_S: "60" } });
  });
  after(() => world?.[Symbol.asyncDispose]());

  it("goes on while its tokens are refreshed by several tabs at once", async () => {
    await using visitor = await openSignedIn(world);
    const other = await visitor.openTab();
    await other.goto(world.url);
    const calls = Array.from({ length: 5 }, () => [call(visitor.page), call(other)]).flat();
    const answers = await Promise.all(calls);
    assert.deepEqual(answers, Array(10).fill([200, undefined]));
    assert.deepEqual(await call(visitor.page), [200, undefined]);
  });

  it("has a cookie that no script reads, and that needs no https on this machine", async () => {
    await using visitor = await openSignedIn(world);
    const cookies = await visitor.context.cookies(world.url);
    const ours = cookies.filter(({ name }) => name === "stowage");
    assert.deepEqual(
      ours.map(({ name, httpOnly, secure, sameSite }) => [name, httpOnly, secure, sameSite]),
      [["stowage", true, false, "Lax"]],
    );
    assert.doesNotMatch(await visitor.page.evaluate<string>("document.cookie"), /stowage/);
  });

  it("ends when the person is signed out at the authorisation service", async () => {
    await using visitor = await openSignedIn(world);
    await world.run(["accounts", "sign-out", world.person.loginName]);
    await until("the page is told", async () => (await call(visitor.page))[0] === 401);
    assert.deepEqual(await call(visitor.page), [401, "SESSION_ENDED"]);
  });

  it("ends when the account is disabled", async () => {
    await using visitor = await openSignedIn(world);
    await world.run(["accounts", "disable", world.person.loginName]);
    try {
      await until("the page is told", async () => (await call(visitor.page))[0] === 401);
    } finally {
      await world.run(["accounts", "enable", world.person.loginName]);
    }
  });
});
