/**
 * Where oidc-provider keeps what it keeps: in PostgreSQL, shared by all processes.
 *
 * Clients it only reads. Access tokens are signed and not stored: to look for one finds nothing,
 * and those of a grant are revoked by way of the denylist. All else is a record under the hash of
 * its ID: whoever can read the database finds no session cookie, code or refresh token there. For
 * that, the ID is taken out of what is stored with it.
 */
import { isLowerCaseUuid } from "@stowage/process";
import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import type { ClientRecord } from "../store/find-client.ts";
import type { StoredServiceAccount } from "../store/service-accounts.ts";
import { bearerClientId } from "./bearer-client-id.ts";
import { assertionClient } from "./jwt-bearer.ts";
import { type RecordOptions, recordAdapter } from "./record-adapter.ts";
import { toClientMetadata } from "./registered-client.ts";

/** What the storage needs. */
export interface StorageOptions extends RecordOptions {
  /** Finds a client by a well-formed identifier. */
  findClient: (clientId: string) => Promise<ClientRecord | undefined>;
  /** The same for a service account. */
  findServiceAccount: (serviceAccountId: string) => Promise<StoredServiceAccount | undefined>;
}

/** The storage of all models. */
export function storageOf(options: StorageOptions): AdapterFactory {
  const special: Record<string, Partial<Adapter>> = {
    Client: clients(options),
    AccessToken: { find: async () => undefined, revokeByGrantId: options.revokeGrant },
    ClientCredentials: { find: async () => undefined },
  };
  return (model) => {
    const own = special[model];
    return own ? { ...refuseAll(model), ...own } : recordAdapter(model, options);
  };
}

function clients(options: StorageOptions): Pick<Adapter, "find"> {
  return {
    async find(clientId): Promise<AdapterPayload | undefined> {
      if (clientId === bearerClientId) return assertionClient(clientId);
      // Client identifiers are UUIDs as PostgreSQL writes them.
      if (!isLowerCaseUuid(clientId)) return undefined;
      const record = await options.findClient(clientId);
      if (record !== undefined) return toClientMetadata(record);
      return (await options.findServiceAccount(clientId)) && assertionClient(clientId);
    },
  };
}

/** What is not stored must fail aloud where oidc-provider counts on it all the same. */
function refuseAll(model: string): Adapter {
  const refuse = (act: string) => async () => {
    throw new Error(`Cannot ${act} a ${model}: this service stores no such thing`);
  };
  return {
    upsert: refuse("store"),
    find: refuse("find"),
    findByUserCode: refuse("find"),
    findByUid: refuse("find"),
    consume: refuse("consume"),
    destroy: refuse("destroy"),
    revokeByGrantId: refuse("revoke"),
  };
}
