// Parses legal documents at build time, so that the console contains no Markdown parser.
import { Lexer, type Token, Tokenizer, type Tokens } from "marked";

export type InlineContent = string | { kind: "bold"; text: string } | { kind: "link"; text: string; href: string };

export type Block =
  | { kind: "heading"; level: 2 | 3; id: string; text: string }
  | { kind: "paragraph"; lines: InlineContent[][] }
  | { kind: "list"; items: InlineContent[][] }
  | { kind: "table"; head: InlineContent[][]; rows: InlineContent[][][] };

declare global {
  /** Type of an imported Markdown file (documents.d.ts). */
  type LegalBlocks = readonly Block[];
}

/** Disables automatic links. */
class LegalTokenizer extends Tokenizer {
  override url(): undefined {
    return undefined;
  }
}

/** Throws for unsupported Markdown, so that no text is lost. */
export function parseMarkdown(source: string): Block[] {
  const tokens = new Lexer({ tokenizer: new LegalTokenizer(), gfm: true, breaks: true }).lex(
    source,
  ) as Tokens.Generic[];
  return tokens.flatMap((token) => (token.type === "space" ? [] : [toBlock(token)]));
}

function toBlock(token: Tokens.Generic): Block {
  switch (token.type) {
    case "heading": {
      const { depth, text } = token as Tokens.Heading;
      return { kind: "heading", level: depth === 2 ? 2 : 3, id: anchorOf(text), text };
    }
    case "list":
      return { kind: "list", items: (token as Tokens.List).items.map(({ tokens }) => lineOf(tokens)) };
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const cells = (row: Tokens.TableCell[]) => row.map(({ tokens }) => lineOf(tokens));
      return { kind: "table", head: cells(header), rows: rows.map(cells) };
    }
    case "paragraph":
      return { kind: "paragraph", lines: linesOf((token as Tokens.Paragraph).tokens) };
    default:
      throw new Error(`A legal document has a ${token.type}, which is not shown: ${token.raw}`);
  }
}

function linesOf(tokens: readonly Token[]): InlineContent[][] {
  const lines: InlineContent[][] = [[]];
  for (const token of tokens) {
    if (token.type === "br") lines.push([]);
    else lines.at(-1)?.push(...inlineOf(token));
  }
  return lines;
}

const lineOf = (tokens: readonly Token[]): InlineContent[] => tokens.flatMap(inlineOf);

function inlineOf(token: Token): InlineContent[] {
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? [token.text] : lineOf(token.tokens);
    case "escape":
      return [token.text];
    case "strong":
      return [{ kind: "bold", text: token.text }];
    case "link":
      return [{ kind: "link", text: token.text, href: token.href }];
    default:
      throw new Error(`A legal document has a ${token.type}, which is not shown: ${token.raw}`);
  }
}

/** `10.1 Subcontractors` → `section-10-1`, `Appendix 1: …` → `appendix-1`; independent of the heading's wording. */
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
