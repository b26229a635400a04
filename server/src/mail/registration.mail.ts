// To somebody who registers: confirm the address; or, when it is known already, how things stand with it.
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
    note: "If you did not register on PS.Platform, you can ignore this mail.",
  });
}

const standings: Record<number, string> = {
  [registrationSteps.rejected]:
    "Your registration could not be approved. If you think that this is a mistake, please contact our support team.",
  [registrationSteps.toReview]:
    "Your registration is waiting for approval by our support team. You will hear from us by mail.",
  [registrationSteps.invited]:
    "You have been invited already: please use the link in the invitation that we sent to this address.",
  [registrationSteps.confirmEmail]:
    "Your registration only lacks the confirmation of this address: please use the link in the mail that we sent you. Should it have expired, open it all the same, and we send you a new one.",
};

/** Somebody signed up with an address that is known: only its owner is told so (T-08). */
export function addressKnownMail({ step, publicUrl }: { step: number; publicUrl: string }): MailBody {
  const complete = step === registrationSteps.complete;
  return layout({
    subject: "Your registration on PS.Platform",
    paragraphs: [
      "Somebody, probably you, has signed up for PS.Platform with this address. It is known to us already, so nothing was changed.",
      standings[step] ?? "You can log in with it. If you forgot the password, you can set a new one on the login page.",
    ],
    ...(complete ? { action: { label: "To the login page", link: `${publicUrl}/login` } } : {}),
    note: "If it was not you, you can ignore this mail.",
  });
}
