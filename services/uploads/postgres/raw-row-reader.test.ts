import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RawRowReader } from "./raw-row-reader.ts";

interface Message {
  readonly letter: string;
  readonly content: Uint8Array;
  /** Whether rows are wanted from this message on. */
  readonly isWanted: boolean;
}

const message = fc.record({
  letter: fc.constantFrom("D", "D", "d", "Z", "2", "C"),
  content: fc.uint8Array({ maxLength: 40 }),
  isWanted: fc.boolean(),
});

describe("RawRowReader", () => {
  it("gives rows to who wants them and the rest to the driver, however bytes come together", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(message), cuts, (messages, sizes) => {
        const { rows, passed } = readAll(messages, sizes);
        const isTaken = ({ letter, isWanted }: Message) => letter === "D" && isWanted;
        const taken = messages.filter(isTaken).map(({ content }) => Buffer.from(content));
        assert.deepEqual(rows, taken);
        const others = messages.filter((each) => !isTaken(each));
        assert.deepEqual(passed, Buffer.concat(others.map(bytesOf)));
      }),
    );
  });

  it("lets a large message through as it comes, without holding it", () => {
    const passed: Buffer[] = [];
    const reader = new RawRowReader((chunk) => passed.push(chunk));
    reader.onRow = () => assert.fail();
    const bytes = bytesOf({ letter: "N", content: new Uint8Array(1000) });
    reader.read(bytes.subarray(0, 10));
    reader.read(bytes.subarray(10, 500));
    assert.equal(Buffer.concat(passed).length, 500);
  });
});

/** The wish changes only between messages, as it does when statements begin and end. */
function readAll(messages: readonly Message[], sizes: readonly number[]) {
  const rows: Buffer[] = [];
  const passed: Buffer[] = [];
  const reader = new RawRowReader((chunk) => passed.push(chunk));
  const take = (bytes: Buffer, start: number, end: number) => {
    rows.push(Buffer.from(bytes.subarray(start, end)));
  };
  let cutAt = 0;
  for (const each of messages) {
    reader.onRow = each.isWanted ? take : undefined;
    const bytes = bytesOf(each);
    for (let position = 0; position < bytes.length; ) {
      const size = sizes[cutAt++ % sizes.length] as number;
      const chunk = Buffer.from(bytes.subarray(position, position + size));
      reader.read(chunk);
      // The next piece comes in its place.
      chunk.fill(0);
      position += size;
    }
  }
  return { rows, passed: Buffer.concat(passed) };
}

function bytesOf({ letter, content }: Pick<Message, "letter" | "content">): Buffer {
  const header = Buffer.alloc(5);
  header.write(letter);
  header.writeUInt32BE(4 + content.length, 1);
  return Buffer.concat([header, content]);
}
