// To somebody who forgot the password of a login: the link that sets a new one.
import { layout, type MailBody } from "./layout.ts";

export function passwordResetMail({ account, link }: { account: string; link: string }): MailBody {
  return layout({
    subject: "Reset your password for PS.Platform",
    paragraphs: [
      `Somebody asked for a new password for your login of the account "${account}" on PS.Platform.`,
      "The link below is good for 30 minutes and for one use. It replaces the links of earlier mails.",
    ],
    action: { label: "Set a new password", link },
    note: "If it was not you, you can ignore this mail: your password stays as it is.",
  });
}
