/** Adds clients to a test service, which has one. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { addClient, type ClientRecord } from "../store/clients.ts";
import { actsForItself, hashOfSecret, testClient } from "./test-service.ts";
import { basic } from "./token-request.ts";

/** A client with its credentials. */
export interface OtherClient {
  clientId: string;
  clientSecret: string;
  /** The header. */
  authorization: string;
}

/** Adds a client, by default of the test client's organisation. */
export async function addOtherClient(
  pool: pg.Pool,
  changes: Partial<Omit<ClientRecord, "clientId">> = {},
): Promise<OtherClient> {
  const clientId = randomUUID();
  const clientSecret = randomUUID();
  const client = {
    clientId,
    applicationId: randomUUID(),
    organisationId: testClient.organisationId,
    name: "",
    scopes: ["upl:bucket:read"],
    ...actsForItself,
    ...changes,
  };
  await addClient(pool, client, await hashOfSecret(pool, clientSecret));
  return { clientId, clientSecret, authorization: basic(clientId, clientSecret) };
}
