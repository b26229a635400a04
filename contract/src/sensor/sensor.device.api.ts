// The call a device makes over HTTPS before it has a credential (device-protocol 4.2).
import { endpoint } from "../kit/endpoint.ts";
import { enrolReplySchema, enrolSchema } from "./sensor.device.ts";

export const enrolDevice = endpoint({
  name: "enrolDevice",
  method: "POST",
  path: "/v1/enrol",
  root: "/device",
  caller: "device",
  summary:
    "Exchanges an init token for the MQTT credential of a sensor; 201 at first, 200 when the same device comes again",
  body: enrolSchema,
  reply: enrolReplySchema,
});
