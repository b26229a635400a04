// To the other logins of an account: somebody among them has changed who can sign in. Passwords are never in a mail.
import { layout, type MailBody } from "./layout.ts";

type Changed = readonly { email: string }[];

export function loginsChangedMail({
  account,
  by,
  added,
  changed,
  removed,
  publicUrl,
  isGone,
}: {
  account: string;
  by: string;
  added: Changed;
  changed: Changed;
  removed: Changed;
  publicUrl: string;
  /** The login that reads it was removed. */
  isGone: boolean;
}): MailBody {
  return layout({
    subject: "The logins of your account have changed",
    paragraphs: [
      `${by} has changed the logins of the account "${account}" on PS.Platform:`,
      ...removed.map(({ email }) => `The login ${email} was removed.`),
      ...changed.map(({ email }) => `The password of ${email} was changed.`),
      ...added.map(({ email }) => `The login ${email} was added.`),
    ],
    ...(isGone ? {} : { action: { label: "To the login page", link: `${publicUrl}/login` } }),
    note: isGone
      ? "You can't log in with this address any more. If you did not expect this, please tell the administrator of the account."
      : "If you did not expect this, please tell the administrator of the account, and set a new password with 'Forgot password?' on the login page.",
  });
}
