// To somebody for whom an account was made: how to make it theirs.
import { layout, type MailBody } from "./layout.ts";

export function invitationMail({
  account,
  inviter,
  link,
}: {
  account: string;
  inviter: string;
  link: string;
}): MailBody {
  return layout({
    subject: "Your invitation to PS.Platform",
    paragraphs: [
      `${inviter} has set up the account "${account}" for you on PS.Platform, where you manage your sensors and read their data.`,
      "Please complete the registration and choose a password. The link is good for 30 days.",
    ],
    action: { label: "Complete registration", link },
    note: "If you did not expect this invitation, you can ignore this mail.",
  });
}
