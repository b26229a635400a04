// Public API calls for registration. The mailed link identifies the invitation.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { uuid } from "../kit/ids.ts";
import { registrationSchema, registrationStateSchema, signUpSchema, verificationSchema } from "./registration.ts";

const secret = boundedText(200).min(1);
const byLink = z.strictObject({ id: uuid, regId: secret });

/** An invalid link is 105. If the invitation has expired, `details.reason` says so. */
export const getRegistration = endpoint("getRegistration", "GET", "/account/{id}/registration/{regId}", {
  caller: "public",
  summary:
    "Where the registration behind a mailed link stands; with what is known of the account while its form is open",
  params: byLink,
  reply: registrationStateSchema,
});
/**
 * A form that was already submitted is 102. A password that breaks the rules is 205 with `details.requirements`, and the link
 * stays valid. An e-mail address in the body is 402, because the invited address is used.
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
 * Fails with 102 in the same cases as verifyRegistration, but has no side effects: it neither replaces a code nor sends a mail.
 */
export const getVerification = endpoint("getVerification", "GET", "/account/{id}/registration/{regId}/verify/{code}", {
  caller: "public",
  summary: "What the code of a verification mail would confirm; changes nothing",
  params: byCode,
  reply: verificationSchema,
});
/**
 * An unknown, used or expired code is 102 with `details.field` "code". An expired code also sends a new mail, which
 * `details.reason` mentions.
 */
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
 * Also accepts expired codes, because they prove access to the mailbox, too. Any other invalid code is 102 with `details.field`
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
