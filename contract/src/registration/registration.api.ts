// The calls of registering; anybody may make them, the links say for whom.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { uuid } from "../kit/ids.ts";
import { registrationSchema, registrationStateSchema, signUpSchema, verificationSchema } from "./registration.ts";

const secret = boundedText(200).min(1);
const byLink = z.strictObject({ id: uuid, regId: secret });

/** 105 for a link that opens nothing, with `details.reason` when it once did. */
export const getRegistration = endpoint("getRegistration", "GET", "/account/{id}/registration/{regId}", {
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
export const completeRegistration = endpoint("completeRegistration", "PUT", "/account/{id}/registration/{regId}", {
  caller: "public",
  summary: "Sends the registration form of an invited person; the verification mail follows",
  params: byLink,
  body: registrationSchema,
  reply: registrationStateSchema,
});
const byCode = byLink.extend({ code: secret });

/** 102 as the call that confirms, but without any effect: an expired code stays, and no mail goes out. */
export const getVerification = endpoint("getVerification", "GET", "/account/{id}/registration/{regId}/verify/{code}", {
  caller: "public",
  summary: "What the code of a verification mail would confirm; changes nothing",
  params: byCode,
  reply: verificationSchema,
});
/** 102 with `details.field` "code" for a wrong, used or expired one; an expired one makes a new mail go out (`details.reason`). */
export const verifyRegistration = endpoint(
  "verifyRegistration",
  "PUT",
  "/account/{id}/registration/{regId}/verify/{code}",
  {
    caller: "public",
    summary: "Confirms the email address by the code of the verification mail; then the login works",
    params: byCode,
    reply: registrationStateSchema,
  },
);
/** Takes an expired code, too: its holder reads that mailbox. 102 with `details.field` "code" for any other. */
export const endRegistration = endpoint(
  "endRegistration",
  "DELETE",
  "/account/{id}/registration/{regId}/verify/{code}",
  {
    caller: "public",
    summary: "Ends a registration that the owner of the email address did not make",
    params: byCode,
    reply: z.object({}),
  },
);
export const signUp = endpoint("signUp", "POST", "/account/registration", {
  caller: "public",
  summary: "Open sign-up, to be reviewed; answers alike whether or not the address is known",
  body: signUpSchema,
  reply: z.object({}),
});
