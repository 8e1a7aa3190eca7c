// A buf plugin: reads the services of the contract and writes openapi.json.
import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { openApiDocument } from "./openapi-document.ts";

runNodeJs(
  createEcmaScriptPlugin({
    name: "protoc-gen-openapi",
    version: "v1",
    generateTs(schema) {
      const services = schema.files.flatMap((file) => file.services);
      const document = openApiDocument(services);
      schema.generateFile("openapi.json").print(JSON.stringify(document, null, 2));
    },
  }),
);
