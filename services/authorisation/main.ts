/** The program: reads the settings, and runs a primary and a worker until a signal. */
import { readServiceCommand, readTogether, runProgram, runService } from "@stowage/process";
import { findIdentityProvider } from "./identity-provider/settings.ts";
import { findKeys, requireOtherAudience, serviceSettings, stopGraceMs } from "./settings.ts";
import { authSchema } from "./store/migrate-store.ts";

await runProgram("authorisation", async ({ signal }) => {
  const { settings, further, onlyChecks } = await readServiceCommand({
    name: "authorisation",
    description: "Issues access tokens to the clients that were added with the command clients.",
    settingsTable: serviceSettings,
    environment: process.env,
    readFurther: (environment) =>
      readTogether([
        findKeys(environment),
        findIdentityProvider(environment),
        requireOtherAudience(environment),
      ]),
  });
  if (onlyChecks) return;
  const [encryptionKeys, identityProvider] = further;
  await runService({
    name: "authorisation",
    settings,
    schema: authSchema,
    signal,
    workers: 1,
    // The workers have a database address, for which there is no default file.
    environment: async () =>
      "file" in encryptionKeys ? { KEY_ENCRYPTION_KEY_FILE: encryptionKeys.file } : {},
    graceMs: stopGraceMs,
    serve: async (worker) => {
      const { serve } = await import("./service.ts");
      await serve({ ...settings, ...worker, encryptionKeys, identityProvider, signal });
    },
  });
});
