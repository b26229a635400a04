// Public API calls for registration; their links identify the invitation.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { uuid } from "../kit/ids.ts";
import { registrationSchema, registrationStateSchema, signUpSchema, verificationSchema } from "./registration.ts";

const secret = boundedText(200).min(1);
const byLink = z.strictObject({ id: uuid, regId: secret });

/** 105 if the link is not valid; with `details.reason` if its invitation has expired. */
export const getRegistration = endpoint("getRegistration", "GET", "/account/{id}/registration/{regId}", {
  caller: "public",
  summary:
    "Where the registration behind a mailed link stands; with what is known of the account while its form is open",
  params: byLink,
  reply: registrationStateSchema,
});
/**
 * 102 if the form was already submitted; 205 with `details.requirements` for a bad password (the link stays valid); 402
 * if the body contains an e-mail address, because the invited one is used.
 */
export const completeRegistration = endpoint("completeRegistration", "PUT", "/account/{id}/registration/{regId}", {
  caller: "public",
  summary: "Sends the registration form of an invited person; the verification mail follows",
  params: byLink,
  body: registrationSchema,
  reply: registrationStateSchema,
});
const byCode = byLink.extend({ code: secret });

/**
 * Returns 102 in the same cases as verifyRegistration, but has no side effects: it replaces no code and sends no mail.
 */
export const getVerification = endpoint("getVerification", "GET", "/account/{id}/registration/{regId}/verify/{code}", {
  caller: "public",
  summary: "What the code of a verification mail would confirm; changes nothing",
  params: byCode,
  reply: verificationSchema,
});
/** 102 with `details.field` "code" for an unknown, used or expired code; an expired one triggers a new mail (`details.reason`). */
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
/**
 * Also accepts expired codes, because they, too, prove access to the mailbox; otherwise 102 with `details.field`
 * "code".
 */
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
