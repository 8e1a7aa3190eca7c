import assert from "node:assert/strict";
import { it } from "node:test";
import { startBareProvider } from "../testing/bare-provider.ts";
import { replaceDetails } from "./grant-details.ts";

const [earlier, later] = [{ type: "bucket" }, { type: "bucket", identifier: "b" }];

it("oidc-provider adds details to those of a grant; here they are replaced", async () => {
  await using bare = await startBareProvider();
  const grant = new bare.provider.Grant({ accountId: "person", clientId: "app" });
  const detailsOf = async () => bare.stored.get(`Grant:${await grant.save()}`)?.rar;
  grant.addRar(earlier);
  grant.addRar(later);
  assert.deepEqual(await detailsOf(), [earlier, later]);
  replaceDetails(grant, [later]);
  assert.deepEqual(await detailsOf(), [later]);
  replaceDetails(grant, undefined);
  assert.equal(await detailsOf(), undefined);
});
