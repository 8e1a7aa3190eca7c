/**
 * Members of a message that few rows have. A row has them together, as one text: the members of
 * each group as JSON, with a comma before each, and a byte 31 between groups. A group whose members
 * all have their default values is empty. Null: the row has none of them.
 */
import { create, type DescMessage, isFieldSet, type MessageShape } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";
import type { JsonOutput } from "../json/json-output.ts";
import type { BinaryRow } from "../postgres/binary-row.ts";

type JsonMembers = Readonly<Record<string, unknown>>;

/** JSON has it only escaped. */
const separator = 31;

export class RareMembers<Desc extends DescMessage, Group extends string> {
  readonly #schema: Desc;
  readonly #groups: readonly (readonly [Group, readonly string[]])[];
  readonly #numbers: Readonly<Record<Group, number>>;
  readonly #fields: readonly Desc["fields"][number][];
  /** Of a row without them: nearly all rows. */
  readonly #usual: readonly Buffer[];
  /** The text of the row that was read last, and where each group begins; after it, its end. */
  #bytes: Buffer = Buffer.alloc(0);
  readonly #starts: number[] = [];
  #isRead = false;

  /**
   * @param groups the names of the members, in the order of the contract. In answers, other members
   *   are before, between and after the groups.
   */
  constructor(schema: Desc, groups: Readonly<Record<Group, readonly string[]>>) {
    this.#schema = schema;
    this.#groups = Object.entries(groups) as [Group, readonly string[]][];
    this.#numbers = Object.fromEntries(
      this.#groups.map(([group], number) => [group, number]),
    ) as Record<Group, number>;
    const names = new Set(this.#groups.flatMap(([, members]) => members));
    this.#fields = schema.fields.filter(({ jsonName }) => names.has(jsonName));
    if (this.#fields.length !== names.size) {
      throw new Error(`Need fields of ${schema.typeName}, got ${[...names].join(", ")}`);
    }
    const defaults = writeJson(schema, create(schema)) as JsonMembers;
    this.#usual = this.#groups.map(([, members]) => Buffer.from(membersOf(defaults, members)));
  }

  /** The text that is stored. */
  textOf(message: MessageShape<Desc>): string | null {
    const given = this.#fields.filter((field) => isFieldSet(message, field));
    if (given.length === 0) return null;
    const isGiven = new Set(given.map(({ jsonName }) => jsonName));
    const json = writeJson(this.#schema, message) as JsonMembers;
    return this.#groups
      .map(([, names]) => (names.some((name) => isGiven.has(name)) ? membersOf(json, names) : ""))
      .join(String.fromCharCode(separator));
  }

  /** Reads the text of a row, until the next one is read. Returns whether it has one. */
  read(row: BinaryRow, index: number): boolean {
    this.#isRead = !row.isNull(index);
    if (!this.#isRead) return false;
    const { bytes } = row;
    const starts = this.#starts;
    const groups = this.#groups.length;
    this.#bytes = bytes;
    starts[0] = row.start(index);
    // Looking at each byte here would take longer.
    for (let group = 1; group < groups; group++) {
      starts[group] = bytes.indexOf(separator, starts[group - 1]) + 1;
    }
    starts[groups] = row.end(index) + 1;
    return true;
  }

  /** Writes the members of a group of the row, each with a comma before it. */
  add(output: JsonOutput, group: Group): void {
    const number = this.#numbers[group];
    const start = this.#starts[number] ?? 0;
    const end = (this.#starts[number + 1] ?? 0) - 1;
    if (this.#isRead && start < end) output.addPart(this.#bytes, start, end);
    else output.add(this.usual(group));
  }

  /** The members of a group with their default values. */
  usual(group: Group): Buffer {
    return this.#usual[this.#numbers[group]] as Buffer;
  }
}

function membersOf(json: JsonMembers, names: readonly string[]): string {
  return names
    .filter((name) => json[name] !== undefined)
    .map((name) => `,"${name}":${JSON.stringify(json[name])}`)
    .join("");
}
