// What an operator configures is shown in the documents as words: it can't become a mark or a script.

/** Replaces `{{name}}` by the operator's facts; they are words, never marks. Unknown names stay visible. */
export function fillIn(text: string, facts: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\{\{(\w+)\}\}/g,
    (whole, name: string) => (Object.hasOwn(facts, name) ? facts[name] : whole) ?? whole,
  );
}

/** Whether a link may be followed: a place of this page or console, a mail, a page of the web; never a script. */
export function isSafeHref(href: string): boolean {
  return /^(#|\/(?!\/)|mailto:|https?:\/\/)/.test(href);
}
