// The calls of registering; anybody may make them, the links say for whom (spec 1 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { registrationSchema, registrationStateSchema, signUpSchema } from "./registration.ts";

const secret = z.string().min(1).max(200);
const byLink = z.strictObject({ id: uuid, regId: secret });

export const getRegistration = endpoint({
  name: "getRegistration",
  method: "GET",
  path: "/account/{id}/registration/{regId}",
  caller: "public",
  summary:
    "Where the registration behind a mailed link stands; with what is known of the account while its form is open",
  params: byLink,
  reply: registrationStateSchema,
});
/**
 * 102 when the form was sent before, 205 with `details.requirements` for a bad password, which leaves the link good; 402
 * for an e-mail: the address is the one that was invited.
 */
export const completeRegistration = endpoint({
  name: "completeRegistration",
  method: "PUT",
  path: "/account/{id}/registration/{regId}",
  caller: "public",
  summary: "Sends the registration form of an invited person; the verification mail follows",
  params: byLink,
  body: registrationSchema,
  reply: registrationStateSchema,
});
/** 102 with `details.field` "code" for a wrong, used or expired one; an expired one makes a new mail go out (`details.reason`). */
export const verifyRegistration = endpoint({
  name: "verifyRegistration",
  method: "PUT",
  path: "/account/{id}/registration/{regId}/verify/{code}",
  caller: "public",
  summary: "Confirms the e-mail address by the code of the verification mail; then the login works",
  params: byLink.extend({ code: secret }),
  reply: registrationStateSchema,
});
export const signUp = endpoint({
  name: "signUp",
  method: "POST",
  path: "/account/registration",
  caller: "public",
  summary: "Open sign-up, to be reviewed; answers alike whether or not the address is known",
  body: signUpSchema,
  reply: z.object({}),
});
