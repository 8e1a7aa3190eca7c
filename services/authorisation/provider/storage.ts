/**
 * What oidc-provider may store: nothing but clients, and those it only reads.
 *
 * Access tokens are signed and not stored: to look for one finds nothing. No other model is needed.
 * One that is asked for all the same must fail aloud: kept in memory it would be lost at a restart
 * and unknown to the other processes.
 */
import type { Adapter, AdapterFactory } from "oidc-provider";
import type { ClientRecord } from "../store/find-client.ts";
import { toClientMetadata } from "./registered-client.ts";

/** Client identifiers are UUIDs as PostgreSQL writes them; anything else is nobody's. */
const clientIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The storage of all models, given how to find a client by a well-formed identifier. */
export function storageOf(
  findClient: (clientId: string) => Promise<ClientRecord | undefined>,
): AdapterFactory {
  const found: Record<string, Pick<Adapter, "find">> = {
    Client: clients(findClient),
    AccessToken: nothing,
    ClientCredentials: nothing,
  };
  return (model) => ({ ...refuseAll(model), ...found[model] });
}

const nothing = { find: async () => undefined };

function clients(
  findClient: (clientId: string) => Promise<ClientRecord | undefined>,
): Pick<Adapter, "find"> {
  return {
    async find(clientId) {
      if (!clientIdPattern.test(clientId)) return undefined;
      const record = await findClient(clientId);
      return record && toClientMetadata(record);
    },
  };
}

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
