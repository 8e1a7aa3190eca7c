import type { DescEnum, DescMessage } from "@bufbuild/protobuf";

/** Message types and enumerations, without well-known types: those have JSON forms of their own. */
export interface Types {
  readonly messages: Set<DescMessage>;
  readonly enums: Set<DescEnum>;
}

/** The given message types, and the types of their fields at any depth. */
export function reachableTypes(roots: readonly DescMessage[]): Types {
  const types: Types = { messages: new Set(), enums: new Set() };
  for (const root of roots) addMessage(root, types);
  return types;
}

function addMessage(message: DescMessage, types: Types): void {
  if (message.typeName.startsWith("google.protobuf.") || types.messages.has(message)) return;
  types.messages.add(message);
  for (const field of message.fields) {
    if (field.message !== undefined) addMessage(field.message, types);
    if (field.enum !== undefined) types.enums.add(field.enum);
  }
}
