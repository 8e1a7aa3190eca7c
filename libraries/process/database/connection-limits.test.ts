import assert from "node:assert/strict";
import { it } from "node:test";
import { createLogger } from "../logger.ts";
import { readConnectionLimits } from "./connection-limits.ts";

it("the first connection says that it cannot be made", async () => {
  const logger = createLogger({ name: "test", level: "silent" });
  await assert.rejects(readConnectionLimits("postgresql://nobody@127.0.0.1:1/none", logger), {
    message: "Cannot connect to the database",
  });
});
