// PS.C1 section Security: access to the device itself.
import type { Section } from "../field.ts";
import { psconnectField, integerField } from "../field-presets.ts";

/** Ports that the device itself uses for MQTT, MQTT over TLS and NTP. */
const reservedPorts: readonly unknown[] = [1883, 8883, 123];

export const securitySection: Section = {
  key: "security",
  segment: "security",
  label: "Security",
  parts: [
    { kind: "switch", path: "localPage", label: "Local configuration page", default: true },
    {
      ...integerField("localHttpsPort", "HTTPS port", 1, 65_535, 443),
      rule: (port: unknown) => (reservedPorts.includes(port) ? "This port is reserved." : null),
    },
    { kind: "secret", path: "editPassword", label: "Password of user-role-edit", min: 12, max: 64 },
    {
      kind: "secret",
      path: "viewPassword",
      label: "Password of user-role-view",
      min: 12,
      max: 64,
      // Compares only new passwords. The device compares them with the stored ones, which only it knows.
      rule: (view, { inItem }) =>
        typeof view === "string" && view !== "" && view === inItem("editPassword")
          ? "The two passwords must differ."
          : null,
    },
    psconnectField,
  ],
  facts: [
    { path: "certificate.sha256", label: "Certificate", kind: "text" },
    { path: "certificate.validTo", label: "Valid until", kind: "time" },
  ],
};
