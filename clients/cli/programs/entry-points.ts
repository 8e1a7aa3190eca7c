/** The programs that the command starts; it talks to them as any other client would. */
import { fileURLToPath } from "node:url";

const services = new URL("../../../services/", import.meta.url);

export const entryPoints = {
  uploads: pathOf("uploads/main.ts"),
  import: pathOf("uploads/import/main.ts"),
  authorisation: pathOf("authorisation/main.ts"),
  clients: pathOf("authorisation/commands/clients.ts"),
  "service-accounts": pathOf("authorisation/commands/service-accounts.ts"),
  accounts: pathOf("authorisation/commands/accounts.ts"),
  audit: pathOf("authorisation/commands/audit.ts"),
  tokens: pathOf("authorisation/commands/tokens.ts"),
  keys: pathOf("authorisation/commands/keys.ts"),
} as const;

export type ProgramName = keyof typeof entryPoints;

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, services));
}
