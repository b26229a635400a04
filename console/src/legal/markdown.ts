// Reads the part of Markdown that the legal documents use: headings, paragraphs, lists, tables, links, bold words.

export type Inline = string | { kind: "bold"; text: string } | { kind: "link"; text: string; href: string };

export type Block =
  | { kind: "heading"; level: 2 | 3; id: string; text: string }
  | { kind: "paragraph"; lines: Inline[][] }
  | { kind: "list"; items: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] };

/** Blocks in their order; what is none of the others is a paragraph, so that no word of a document is lost. */
export function parseMarkdown(source: string): Block[] {
  return source
    .replaceAll("\r\n", "\n")
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(toBlock);
}

function toBlock(part: string): Block {
  const heading = /^(##|###) (.+)$/.exec(part);
  if (heading !== null) {
    const [, marks = "##", text = ""] = heading;
    return { kind: "heading", level: marks.length === 2 ? 2 : 3, id: anchorOf(text), text };
  }
  const lines = part.split("\n");
  if (lines.every((line) => line.startsWith("- "))) {
    return { kind: "list", items: lines.map((line) => parseInline(line.slice(2))) };
  }
  if (lines.length > 2 && lines.every((line) => line.startsWith("|"))) {
    const [head = [], , ...rows] = lines.map(toCells);
    return { kind: "table", head, rows };
  }
  return { kind: "paragraph", lines: lines.map(parseInline) };
}

function toCells(line: string): Inline[][] {
  return line
    .slice(1, line.lastIndexOf("|"))
    .split("|")
    .map((cell) => parseInline(cell.trim()));
}

function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(/\*\*(.+?)\*\*|\[(.+?)\]\((.+?)\)/g)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const [whole, bold, label = "", href = ""] = match;
    parts.push(bold === undefined ? { kind: "link", text: label, href } : { kind: "bold", text: bold });
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** `10.1 Subcontractors` → `section-10-1`, `Appendix 1: …` → `appendix-1`: stays when a heading is reworded. */
export function anchorOf(heading: string): string {
  const number = /^(\d+(?:\.\d+)*)\.? /.exec(heading)?.[1];
  if (number !== undefined) return `section-${number.replaceAll(".", "-")}`;
  const appendix = /^Appendix (\d+)/.exec(heading)?.[1];
  if (appendix !== undefined) return `appendix-${appendix}`;
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

/** Puts the operator's facts where `{{name}}` stands; they are words, never marks. Unknown names stay visible. */
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
