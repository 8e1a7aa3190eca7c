import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../testing/programs.ts";
import { promtoolMissing } from "./testing/promtool.ts";

/** The rules as their authors meant them: they refer to the file of the rules. */
const cases = join(import.meta.dirname, "alerts.cases.yaml");
const rules = join(root, "docs", "monitoring", "alerts.yaml");

function promtool(...parameters: string[]): string {
  return execFileSync("promtool", parameters, { encoding: "utf8" });
}

describe("the alerting rules", { skip: promtoolMissing }, () => {
  it("are rules that Prometheus accepts", () => {
    assert.match(promtool("check", "rules", rules), /SUCCESS: \d+ rules found/);
  });

  it("fire when they must, and only then", () => {
    assert.match(promtool("test", "rules", cases), /SUCCESS/);
  });
});
