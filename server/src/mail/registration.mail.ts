// To somebody who registers: confirm the address; or, when it is known already, what its status is.
import { registrationSteps } from "@psp/contract/account/account.ts";
import { layout, type MailBody } from "./layout.ts";

/** After the form of an invitation, and again when a code was used too late. */
export function confirmRegistrationMail({ account, link }: { account: string; link: string }): MailBody {
  return layout({
    subject: "Please confirm your email address",
    paragraphs: [
      `Thank you for registering "${account}" on PS.Platform.`,
      "Please confirm your email address; then you can log in. The link is good for 7 days.",
    ],
    action: { label: "Confirm email address", link },
    note: "If it was not you who registered, open the link and choose 'That wasn't me'.",
  });
}

const standings: Record<number, string> = {
  [registrationSteps.toReview]:
    "Your registration is waiting for approval by our support team. You will hear from us by mail.",
  [registrationSteps.invited]:
    "You have been invited already: please use the link in the invitation that we sent to this address.",
  [registrationSteps.confirmEmail]:
    "Your registration only lacks the confirmation of this address: please use the link in the mail that we sent you. Should it have expired, open it all the same and ask for a new one.",
};

type Standing = { step: number; isOpenSignUp: boolean; publicUrl: string };

/** Somebody signed up with an address that is known: only its owner is notified (T-08). */
export function addressKnownMail({ step, isOpenSignUp, publicUrl }: Standing): MailBody {
  const complete = step === registrationSteps.complete;
  const standing =
    standings[step] ?? "You can log in with it. If you forgot the password, you can set a new one on the login page.";
  const known = "Somebody, probably you, has signed up for PS.Platform with this address. It is known to us already";
  return layout({
    subject: "Your registration on PS.Platform",
    paragraphs: isOpenSignUp
      ? [
          `${known}: somebody signed up with it before. As we can't tell which of the two passwords is yours, neither of them works.`,
          standing,
          "Once your registration is approved and the address confirmed, please set your password with 'Forgot password?' on the login page.",
        ]
      : [`${known}, so nothing was changed.`, standing],
    ...(complete ? { action: { label: "To the login page", link: `${publicUrl}/login` } } : {}),
    note: "If it was not you, you can ignore this mail.",
  });
}
