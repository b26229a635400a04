// HTTPS calls of devices: enrollment (docs/device-protocol.md#2-enrollment) and the upload test target.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { enrolReplySchema, enrolSchema } from "./device-messages.ts";

export const enrolDevice = endpoint("enrolDevice", "POST", "/v1/enrol", {
  root: "/device",
  caller: "device",
  summary:
    "Exchanges an init token for the MQTT credential of a sensor; 201 at first, 200 when the same device comes again",
  body: enrolSchema,
  reply: enrolReplySchema,
});
/** Accepts any bytes up to 16 MiB; they are counted and discarded. */
export const receiveUploadTest = endpoint("receiveUploadTest", "POST", "/v1/upload-test/{ticket}", {
  root: "/device",
  caller: "device",
  summary: "Takes the bytes of an upload test; the address is handed out with the question and soon void",
  params: z.strictObject({ ticket: boundedText(300) }),
  reply: z.object({ bytes: z.int() }),
});
