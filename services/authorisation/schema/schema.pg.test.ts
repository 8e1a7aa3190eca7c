import { it } from "node:test";
import { checkMigrations } from "@stowage/process/testing";

it("every step can run twice, and together they are current.sql", async () => {
  await checkMigrations({ schema: "auth", directory: new URL("./", import.meta.url) });
});
