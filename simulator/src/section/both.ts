// Fields and sections shared by ZOD and PS.C1.
import { countIntervalSeconds } from "@psp/contract/device/device-messages.ts";
import { isLocalTarget, parseReceiver } from "./address.ts";
import type { Section } from "./definition.ts";
import { choice, flag, group, ident, list, name, optionalText, secret, text } from "./field.ts";

export const rotation = choice("Rotation", [0, 90, 180, 270]);
export const mainsHz = choice("Mains frequency", ["auto", 50, 60]);
export const interval = choice("Interval", countIntervalSeconds);
export const psconnect = flag("Remote access (PS.Connect)");

type Endpoint = { id: string; name: string; enabled: boolean; url: string; username: string; password: string | null };
type EndpointValues = { endpoints: Endpoint[] };

const receiver = text("Address", 255, (value) => {
  const url = parseReceiver(value);
  if (url === null) return "Address must begin with https:// or mqtts://.";
  return isLocalTarget(url) ? "The sensor does not send to this address." : null;
});

export const dataendpoint: Section = {
  fields: {
    endpoints: list(
      "Data endpoints",
      group({
        id: ident,
        name: name(),
        enabled: flag("Enabled"),
        url: receiver,
        username: optionalText("Username", 64),
        password: secret("Password", 1, 128),
      }),
      { max: 3, unique: { id: "The id", name: "Name" } },
    ),
  },
  secrets: ["password"],
  defaults: () => ({ endpoints: [] }),
  rules(values, { complain }) {
    for (const [index, { username, password }] of (values as EndpointValues).endpoints.entries())
      if (password !== null && username === "") complain(`endpoints.${index}.username`, "The username is required");
  },
  /** Nothing is sent. Reports a success at each interval, except for reserved host names. */
  info: ({ sections, intervalFrom }) => ({
    endpoints: ((sections.held["dataendpoint"]?.values ?? { endpoints: [] }) as EndpointValues).endpoints.map(
      ({ id, enabled, url }) => {
        const isNowhere = /\.(invalid|test|example)\.?$/i.test(parseReceiver(url)?.hostname ?? "");
        return {
          id,
          lastOkAt: enabled && !isNowhere ? intervalFrom : null,
          lastError: enabled && isNowhere ? "The name of the host is not known." : null,
        };
      },
    ),
  }),
};
