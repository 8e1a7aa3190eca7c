/** `service-accounts list`: shows the accounts, and which still get tokens. */
import { Command } from "commander";
import { tableText } from "../output/table-text.ts";
import { listServiceAccounts, type StoredServiceAccount } from "../store/service-accounts.ts";
import type { WithPool } from "../store/with-pool.ts";

/** The command, for `main.ts`. */
export function listCommand(withPool: WithPool): Command {
  return new Command("list")
    .description("Lists the accounts, oldest first.")
    .option("--json", "print a JSON array")
    .action(async (options: { json?: true }) => {
      const accounts = (await withPool(listServiceAccounts)).map(toListed);
      const text = options.json ? `${JSON.stringify(accounts)}\n` : tableText(accounts, columns);
      process.stdout.write(text);
    });
}

type ListedAccount = ReturnType<typeof toListed>;

function toListed({ publicKeyPem: _, ...account }: StoredServiceAccount) {
  return { ...account, state: stateOf(account) };
}

function stateOf({ revokedAt, assertionExpiresAt }: Omit<StoredServiceAccount, "publicKeyPem">) {
  if (revokedAt !== null) return "revoked";
  return assertionExpiresAt !== null && assertionExpiresAt <= new Date() ? "expired" : "good";
}

const columns: Record<string, (account: ListedAccount) => string> = {
  ID: (account) => account.serviceAccountId,
  ORGANISATION: (account) => account.organisationId,
  APPLICATION: (account) => account.applicationId,
  ADDED: (account) => account.createdAt.toISOString().slice(0, 10),
  STATE: (account) => account.state,
  "GOOD UNTIL": (account) => account.assertionExpiresAt?.toISOString().slice(0, 10) ?? "-",
  SCOPES: (account) => account.scopes.join(" "),
  NAME: (account) => account.name,
};
