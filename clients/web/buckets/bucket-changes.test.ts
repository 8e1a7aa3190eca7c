import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { QueryObserver } from "@tanstack/react-query";
import { CallError } from "../api/call-error.ts";
import { createQueryClient } from "../page/query-client.ts";
import { lookForMissing, readAgain } from "./bucket-changes.ts";

const notFound = new CallError("not_found", "", { reason: "FOLDER_NOT_FOUND" });

describe("a folder that was not found", () => {
  const client = createQueryClient();
  afterEach(() => client.clear());

  /** Shows a folder that is not there until `create()`. */
  async function showMissing() {
    let calls = 0;
    let level: object | undefined;
    const observer = new QueryObserver(client, {
      queryKey: ["folder-level", "1", "/later"],
      queryFn: () => {
        calls++;
        return level === undefined ? Promise.reject(notFound) : Promise.resolve(level);
      },
    });
    const errors: unknown[] = [];
    observer.subscribe(({ error }) => errors.push(error));
    await observer.refetch();
    errors.length = 0;
    const create = () => {
      level = {};
    };
    return { observer, errors, create, calls: () => calls };
  }

  it("is looked for when the bucket changes, and the message stays meanwhile", async () => {
    const { observer, errors, create, calls } = await showMissing();
    const before = calls();
    await lookForMissing(client, "1");
    assert.equal(calls(), before + 1);
    assert.deepEqual(errors, []);
    create();
    await lookForMissing(client, "1");
    assert.deepEqual(observer.getCurrentResult().data, {});
    assert.equal(observer.getCurrentResult().error, null);
  });

  it("is not looked for because it was not found", async () => {
    await showMissing();
    readAgain(client, "1");
    assert.equal(client.isFetching(), 0);
  });
});
