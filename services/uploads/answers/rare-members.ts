/**
 * Members of a message that few rows have. A row has them together, as the text of one JSON object
 * without what has its default value. Null: the row has none of them.
 */
import { create, type DescMessage, isFieldSet, type MessageShape } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";

export type JsonMembers = Readonly<Record<string, unknown>>;

export class RareMembers<Desc extends DescMessage, Group extends string> {
  readonly #schema: Desc;
  readonly #groups: Readonly<Record<Group, readonly string[]>>;
  readonly #fields: readonly Desc["fields"][number][];
  readonly #defaults: JsonMembers;
  /** Of a row without them: nearly all rows. */
  readonly #usual: Readonly<Record<Group, Buffer>>;

  /**
   * @param groups the names of the members, in the order of the contract. In answers, other members
   *   are before, between and after the groups.
   */
  constructor(schema: Desc, groups: Readonly<Record<Group, readonly string[]>>) {
    this.#schema = schema;
    this.#groups = groups;
    const names = new Set(Object.values<readonly string[]>(groups).flat());
    this.#fields = schema.fields.filter(({ jsonName }) => names.has(jsonName));
    if (this.#fields.length !== names.size) {
      throw new Error(`Need fields of ${schema.typeName}, got ${[...names].join(", ")}`);
    }
    this.#defaults = writeJson(schema, create(schema)) as JsonMembers;
    const usual = (Object.keys(groups) as Group[]).map((group) => [
      group,
      Buffer.from(this.#membersOf(group, {})),
    ]);
    this.#usual = Object.fromEntries(usual);
  }

  /** The text that is stored. */
  textOf(message: MessageShape<Desc>): string | null {
    const given = this.#fields.filter((field) => isFieldSet(message, field));
    if (given.length === 0) return null;
    const json = writeJson(this.#schema, message) as JsonMembers;
    return JSON.stringify(
      Object.fromEntries(given.map(({ jsonName }) => [jsonName, json[jsonName]])),
    );
  }

  /** The members of a group as JSON, each with a comma before it. */
  json(group: Group, members?: JsonMembers): Buffer {
    return members === undefined
      ? this.#usual[group]
      : Buffer.from(this.#membersOf(group, members));
  }

  #membersOf(group: Group, members: JsonMembers): string {
    return this.#groups[group]
      .map((name) => ({ name, value: members[name] ?? this.#defaults[name] }))
      .filter(({ value }) => value !== undefined)
      .map(({ name, value }) => `,"${name}":${JSON.stringify(value)}`)
      .join("");
  }
}
