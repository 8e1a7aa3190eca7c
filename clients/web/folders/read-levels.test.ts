import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerTooLarge, readLevel, readTreeWithin } from "./read-levels.ts";

describe("readTreeWithin()", () => {
  it("reads a tree that is short enough", async () => {
    const tree = { children: [{ folder: { path: "/ç" } }] };
    assert.deepEqual(await readTreeWithin(64, new Response(JSON.stringify(tree))), tree);
  });

  it("needs no iterator of streams, which Safari does not have", async () => {
    const response = new Response("{}");
    Object.defineProperty(response.body, Symbol.asyncIterator, { value: undefined });
    assert.deepEqual(await readTreeWithin(64, response), {});
  });

  it("cancels the call as soon as there is more", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(40)),
      cancel() {
        isCancelled = true;
      },
    });
    await assert.rejects(readTreeWithin(64, new Response(body)), { reason: answerTooLarge });
    assert.ok(isCancelled);
  });
});

describe("readLevel()", () => {
  it("keeps what rows show", async () => {
    const text = '{"children":[{"folder":{"path":"/a"},"truncated":true}]}';
    const [folder] = (await readLevel(new Response(text))).folders;
    assert.deepEqual([folder?.name, folder?.hasFolders], ["a", true]);
  });

  it("reads a large level also if the file of its worker is gone", async (test) => {
    class FailingWorker {
      onerror = (_: object) => {};
      postMessage(_: unknown, moved: readonly ArrayBuffer[] = []) {
        for (const bytes of moved) bytes.transfer();
        setImmediate(() => this.onerror({ message: "not found" }));
      }
      terminate() {}
    }
    Object.assign(globalThis, { Worker: FailingWorker });
    test.after(() => Reflect.deleteProperty(globalThis, "Worker"));
    const children = [{ folder: { path: `/${"a".repeat(1024 * 1024)}` } }];
    const { folders } = await readLevel(new Response(JSON.stringify({ children })));
    assert.equal(folders[0]?.name.length, 1024 * 1024);
  });
});
