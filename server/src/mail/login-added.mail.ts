// To somebody whose address was made a login of an account. The password is never in a mail.
import { layout, type MailBody } from "./layout.ts";

export function loginAddedMail({ account, publicUrl }: { account: string; publicUrl: string }): MailBody {
  return layout({
    subject: "You can now log in to PS.Platform",
    paragraphs: [
      `An administrator has added this address as a login of the account "${account}" on PS.Platform.`,
      "Ask the administrator for the password, or set your own with 'Forgot password?' on the login page.",
    ],
    action: { label: "To the login page", link: `${publicUrl}/login` },
    note: "If you did not expect this, please tell the administrator of the account.",
  });
}
