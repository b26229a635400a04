// Renders mails as plain text and as HTML with the same content and one button. All values in the HTML are escaped.

/** All fields are plain text, never HTML. */
type MailContent = {
  subject: string;
  greeting?: string;
  paragraphs: string[];
  items?: { text: string; link: string }[];
  afterItems?: string[];
  action?: { label: string; link: string };
  /** Text of the footer. */
  note?: string;
  /** Link in the footer, e.g. to unsubscribe. */
  noteAction?: { label: string; link: string };
};
export type MailBody = { subject: string; text: string; html: string };

const product = "PS.Platform";
/** The console's light palette. */
const colors = {
  primary: "#0b7a74",
  onPrimary: "#ffffff",
  text: "#17211f",
  muted: "#57645f",
  rule: "#e3e8e6",
  ground: "#fafbfb",
  paper: "#ffffff",
} as const;

/** Removes line breaks from the subject to prevent header injection. */
export function renderMail({
  subject,
  greeting = "Hello,",
  paragraphs,
  items = [],
  afterItems = [],
  action,
  note,
  noteAction,
}: MailContent): MailBody {
  const text = [
    greeting,
    ...paragraphs,
    ...items.map((item) => `${item.text}\n${item.link}`),
    ...afterItems,
    ...(action ? [`${action.label}:\n${action.link}`] : []),
    `Kind regards\n${product}`,
    ...(note ? [`-- \n${note}`] : []),
    ...(noteAction ? [`${noteAction.label}:\n${noteAction.link}`] : []),
  ].join("\n\n");
  const paragraph = (words: string, style = "") => `<p style="margin:0 0 16px;${style}">${escapeHtml(words)}</p>`;
  const button = action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.link)}" style="background:${colors.primary};color:${colors.onPrimary};padding:12px 20px;` +
      `border-radius:6px;text-decoration:none;display:inline-block">${escapeHtml(action.label)}</a></p>` +
      paragraph(action.link, `font-size:13px;color:${colors.muted};word-break:break-all`)
    : "";
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>` +
    `<body style="margin:0;padding:24px;background:${colors.ground};color:${colors.text};font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">` +
    `<div style="max-width:560px;margin:0 auto;background:${colors.paper};padding:32px;border-radius:8px">` +
    `<p style="margin:0 0 24px;font-weight:600;color:${colors.primary}">${product}</p>` +
    [greeting, ...paragraphs].map((words) => paragraph(words)).join("") +
    items
      .map(
        ({ text: words, link }) =>
          `<p style="margin:0 0 16px"><a href="${escapeHtml(link)}" style="color:${colors.text}">${escapeHtml(words)}</a></p>`,
      )
      .join("") +
    afterItems.map((words) => paragraph(words)).join("") +
    button +
    paragraph(`Kind regards, ${product}`) +
    (note
      ? `<hr style="border:0;border-top:1px solid ${colors.rule};margin:24px 0">${paragraph(note, `font-size:13px;color:${colors.muted}`)}`
      : "") +
    (noteAction
      ? `<p style="margin:0 0 16px;font-size:13px"><a href="${escapeHtml(noteAction.link)}" style="color:${colors.muted}">${escapeHtml(noteAction.label)}</a></p>`
      : "") +
    `</div></body></html>`;
  return { subject: subject.replaceAll(/\s+/g, " ").trim(), text: `${text}\n`, html };
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
