// To somebody who signed up, after their registration was reviewed.
import { layout, type MailBody } from "./layout.ts";

export function verificationMail({ account, link }: { account: string; link: string }): MailBody {
  return layout({
    subject: "Please confirm your email address",
    paragraphs: [
      `Your registration of "${account}" on PS.Platform was approved.`,
      "Please confirm your email address; then you can log in. The link is good for 7 days.",
      "If somebody signed up with this address more than once, no password is set yet: please set yours with 'Forgot password?' on the login page then.",
    ],
    action: { label: "Confirm email address", link },
    note: "If it was not you who registered, open the link and choose 'That wasn't me'.",
  });
}

export function registrationRejectedMail({ account }: { account: string }): MailBody {
  return layout({
    subject: "Your registration on PS.Platform",
    paragraphs: [
      `Thank you for your interest in PS.Platform. Unfortunately we could not approve the registration of "${account}".`,
      "If you think that this is a mistake, please contact our support team.",
    ],
  });
}
