/** The main views: open to everyone, in both themes and on narrow screens, within the policy. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { seriousFindings } from "./testing/audit.ts";
import { mainViews } from "./testing/main-views.ts";
import { listed } from "./testing/page-parts.ts";
import { openVisitor, signIn } from "./testing/visitor.ts";
import { type OpenWorld, openWorld } from "./testing/world.ts";

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

const daily = [
  { screen: "wide", viewport: wide, colorScheme: "light" },
  { screen: "narrow", viewport: narrow, colorScheme: "dark" },
] as const;
const nightly = [
  { screen: "wide", viewport: wide, colorScheme: "dark" },
  { screen: "narrow", viewport: narrow, colorScheme: "light" },
] as const;
const screens = process.env.ALL === "1" ? [...daily, ...nightly] : daily;

const placeholderColours = `[...document.querySelectorAll("input[placeholder]")].map((field) =>
  getComputedStyle(field, "::placeholder").color)`;

describe("the main views", { skip: chromiumMissing }, () => {
  let world: OpenWorld;
  before(async () => {
    world = await openWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  for (const { screen, viewport, colorScheme } of screens) {
    it(`keep nobody out, ${colorScheme} and ${screen}`, async (t) => {
      await using visitor = await openVisitor(world, { viewport, colorScheme });
      const { page } = visitor;
      await signIn(visitor, world);
      const findings: string[] = [];
      for (const { name, show } of mainViews) {
        await show(page, world.url);
        const serious = await seriousFindings(page);
        findings.push(...serious.map((finding) => `${name}: ${finding}`));
      }
      t.diagnostic(`axe: ${findings.length} serious or critical findings in ${mainViews.length}`);
      t.diagnostic(`content security policy: ${visitor.complaints.length} violations`);
      assert.deepEqual(findings, []);
      assert.deepEqual(visitor.complaints, []);
    });
  }

  it("have placeholders in the colour of quiet text", async () => {
    await using visitor = await openVisitor(world, { colorScheme: "dark" });
    await signIn(visitor, world);
    await listed(visitor.page, "photos").waitFor();
    const colours = (await visitor.page.evaluate(placeholderColours)) as string[];
    const quiet = await visitor.page.evaluate(
      "getComputedStyle(document.querySelector('.list-status')).color",
    );
    assert.ok(colours.length >= 2);
    assert.deepEqual(new Set(colours), new Set([quiet]));
  });

  it("need no colours of their own where the system forces its colours", async () => {
    await using visitor = await openVisitor(world, { forcedColors: "active" });
    await signIn(visitor, world);
    for (const { show } of mainViews) await show(visitor.page, world.url);
    assert.deepEqual(await seriousFindings(visitor.page), []);
  });
});
