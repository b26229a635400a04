// Inserts operator data into documents as plain text, never as markup.

/** Replaces `{{name}}` with operator data. Unknown names stay visible. */
export function fillIn(text: string, facts: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\{\{(\w+)\}\}/g,
    (whole, name: string) => (Object.hasOwn(facts, name) ? facts[name] : whole) ?? whole,
  );
}

/** Whether a link is safe: anchor, console path, mail or web page; never a script. */
export function isSafeHref(href: string): boolean {
  return /^(#|\/(?!\/)|mailto:|https?:\/\/)/.test(href);
}
