/** The programs that the command starts; it talks to them as any other client would. */
import { fileURLToPath } from "node:url";

const services = new URL("../../../services/", import.meta.url);

export const entryPoints = {
  uploads: pathOf("uploads/main.ts"),
  import: pathOf("uploads/import/main.ts"),
  authorisation: pathOf("authorisation/main.ts"),
  clients: pathOf("authorisation/clients/main.ts"),
  "service-accounts": pathOf("authorisation/service-accounts/main.ts"),
  accounts: pathOf("authorisation/accounts/main.ts"),
  audit: pathOf("authorisation/audit/main.ts"),
  tokens: pathOf("authorisation/tokens/main.ts"),
  keys: pathOf("authorisation/keys/main.ts"),
} as const;

export type ProgramName = keyof typeof entryPoints;

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, services));
}
