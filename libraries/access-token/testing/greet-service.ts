/** A service as protoc-gen-es would generate it, made while the program runs. */
import { create, createFileRegistry, type Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";

interface Greeting<Kind extends "unary" | "server_streaming" = "unary"> {
  methodKind: Kind;
  input: GenMessage<Message<"greet.v1.GreetRequest"> & { name: string }>;
  output: GenMessage<Message<"greet.v1.GreetResponse"> & { greeting: string }>;
}

const methods = ["Greet", "GreetInBucket", "GreetWriter", "Fail"].map(method);
const file = create(FileDescriptorProtoSchema, {
  name: "greet/v1/greet.proto",
  package: "greet.v1",
  syntax: "proto3",
  messageType: [message("GreetRequest", "name"), message("GreetResponse", "greeting")],
  service: [
    {
      name: "GreetService",
      method: [...methods, { ...method("GreetMany"), serverStreaming: true }],
    },
  ],
});

export const GreetService = createFileRegistry(file, () => undefined).getService(
  "greet.v1.GreetService",
) as GenService<{
  greet: Greeting;
  greetInBucket: Greeting;
  greetWriter: Greeting;
  fail: Greeting;
  greetMany: Greeting<"server_streaming">;
}>;

function message(name: string, field: string) {
  const type = FieldDescriptorProto_Type.STRING;
  const label = FieldDescriptorProto_Label.OPTIONAL;
  return { name, field: [{ name: field, number: 1, type, label, jsonName: field }] };
}

function method(name: string) {
  return { name, inputType: ".greet.v1.GreetRequest", outputType: ".greet.v1.GreetResponse" };
}
