// The section for customers' own data receivers, which is the same for ZOD and PS.C1.
import { isReceiverAddress } from "./check/addresses.ts";
import type { Section } from "./field.ts";
import { uniqueNameField } from "./field-presets.ts";

export const dataEndpointSection: Section = {
  key: "dataendpoint",
  segment: "dataendpoint",
  label: "Data endpoints",
  parts: [
    {
      kind: "list",
      path: "endpoints",
      label: "Data endpoints",
      words: { one: "endpoint", many: "endpoints" },
      title: "name",
      idPrefix: "e",
      min: 0,
      max: 3,
      default: [],
      fields: [
        uniqueNameField,
        { kind: "switch", path: "enabled", label: "Enabled", default: true },
        {
          kind: "text",
          path: "url",
          label: "Address",
          max: 255,
          required: true,
          default: "",
          must: { be: isReceiverAddress, sentence: "Address must begin with https:// or mqtts://." },
        },
        {
          kind: "text",
          path: "username",
          label: "Username",
          max: 64,
          required: false,
          default: "",
          rule: (username, { hasSecret }) =>
            username === "" && hasSecret("password") ? "The username is required" : null, // fixed
        },
        { kind: "secret", path: "password", label: "Password", max: 128 },
      ],
    },
  ],
  facts: [
    { path: "lastOkAt", label: "Last delivery", list: "endpoints", kind: "time" },
    { path: "lastError", label: "Error", list: "endpoints", kind: "text" },
  ],
};
