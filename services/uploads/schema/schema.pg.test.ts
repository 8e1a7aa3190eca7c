import { it } from "node:test";
import { checkMigrations } from "@stowage/process/testing";

it("every migration can run twice, and together they make current.sql", async () => {
  await checkMigrations({ schema: "uploads", directory: new URL("./", import.meta.url) });
});
