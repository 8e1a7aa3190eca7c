/**
 * Override: only the device knows its device code (RFC 8628 section 3.2).
 *
 * A person enters a user code in a browser. oidc-provider then finds the device code, writes its ID
 * into the interaction, and saves the device code later. So it needs the ID, of which the database
 * has only a hash. Here it gets a handle instead, which contains the hash. With a handle, requests
 * of browsers find and save the device code, and the token endpoint finds nothing.
 */
import type Provider from "oidc-provider";
import { hashOfHandle } from "../model/device-code-handles.ts";

/** Lets only requests of browsers find device codes by their handle. */
export function restrictDeviceCodeHandles(provider: Provider): void {
  const { DeviceCode } = provider;
  const find = DeviceCode.find as (id: unknown, options?: FindOptions) => Promise<unknown>;
  Object.assign(DeviceCode, {
    // The library ignores the session only where a person has come back from an interaction.
    async find(id: unknown, options?: FindOptions) {
      const isHandle = typeof id === "string" && hashOfHandle(id) !== undefined;
      if (isHandle && options?.ignoreSessionBinding !== true) return undefined;
      return await find.call(DeviceCode, id, options);
    },
  });
}

interface FindOptions {
  ignoreSessionBinding?: boolean;
}
