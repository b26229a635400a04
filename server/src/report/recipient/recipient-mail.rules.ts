// Builds the mail that asks a recipient of a report to confirm.
import { type MailBody, renderMail } from "../../mail/layout.ts";

export function confirmationMail(about: { report: string; account: string; link: string }): MailBody {
  return renderMail({
    subject: `Confirm that you want the report "${about.report}"`,
    paragraphs: [
      `"${about.account}" wants to send you the report "${about.report}" from PS.Platform by email.`,
      "You will get it only if you confirm. You can unsubscribe at any time.",
    ],
    action: { label: "Confirm", link: about.link },
    note: "If you don't want the report, ignore this email and you won't get it.",
  });
}
