// The page of a report as a tagged PDF: fonts, colors, headings, paragraphs and page breaks. Decoration is marked as an artifact, so that
// screen readers skip it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import PDFDocument from "pdfkit";

export type Tag = PDFKit.PDFStructureElement;

export const a4 = { width: 595.28, height: 841.89 };
export const margin = { left: 48, right: 48, top: 54, bottom: 62 };
export const contentWidth = a4.width - margin.left - margin.right;
export const bottomOfPage = a4.height - margin.bottom;

/** The console's light palette. */
export const colors = {
  primary: "#0b7a74",
  text: "#17211f",
  muted: "#57645f",
  rule: "#d5dcd9",
  ground: "#f4f7f6",
  better: "#1a7f37",
  worse: "#b3261e",
  earlier: "#8a9691",
} as const;

export const changeColor = (change: number | null) =>
  change === null || change === 0 ? colors.muted : change > 0 ? colors.better : colors.worse;

const requireFile = createRequire(import.meta.url);

/**
 * Hides the tables for ligatures and kerning. Latin, Greek and Cyrillic are readable without them, and applying them takes a thousand
 * times as long as everything else.
 */
function withoutLayoutTables(font: Buffer): Buffer {
  const [tables, headerBytes, entryBytes] = [font.readUInt16BE(4), 12, 16];
  for (let table = 0; table < tables; table += 1) {
    const at = headerBytes + table * entryBytes;
    if (["GSUB", "GPOS"].includes(font.toString("latin1", at, at + 4))) font.write("none", at, "latin1");
  }
  return font;
}

const readFont = (name: string) =>
  withoutLayoutTables(readFileSync(requireFile.resolve(`@expo-google-fonts/noto-sans/${name}`)));
let fonts: { regular: Buffer; bold: Buffer } | null = null;
/** Latin, Greek and Cyrillic with digits of equal width; only the characters that occur are embedded. */
const loadFonts = () =>
  (fonts ??= {
    regular: readFont("400Regular/NotoSans_400Regular.ttf"),
    bold: readFont("600SemiBold/NotoSans_600SemiBold.ttf"),
  });

export type Page = ReturnType<typeof createPage>;

export type PageInfo = { title: string; subject: string; author: string; language: string; createdAt: Date };

/** Marks the file as accessible; the types of pdfkit don't know this subset yet. */
const uaMark: object = { subset: "PDF/UA" };

type TextStyle = {
  size: number;
  bold?: boolean;
  color?: string;
  align?: "left" | "right" | "center";
  lineGap?: number;
};

export function createPage(info: PageInfo) {
  const { regular, bold } = loadFonts();
  const pdf = new PDFDocument({
    size: "A4",
    margins: { left: margin.left, right: margin.right, top: 0, bottom: 0 },
    pdfVersion: "1.7",
    ...uaMark,
    tagged: true,
    lang: info.language,
    displayTitle: true,
    bufferPages: true,
    info: {
      Title: info.title,
      Subject: info.subject,
      Author: info.author,
      Creator: "PS.Platform",
      Producer: "PS.Platform",
      CreationDate: info.createdAt,
    },
  });
  pdf.registerFont("regular", regular);
  pdf.registerFont("bold", bold);
  const chunks: Buffer[] = [];
  const finished = new Promise<Buffer>((resolve, reject) => {
    pdf.on("data", (chunk: Buffer) => void chunks.push(chunk));
    pdf.on("end", () => resolve(Buffer.concat(chunks)));
    pdf.on("error", reject);
  });
  const root = pdf.struct("Document");
  pdf.addStructure(root);
  let y = margin.top;

  const use = ({ size, bold: isBold = false, color = colors.text }: TextStyle) =>
    pdf
      .font(isBold ? "bold" : "regular")
      .fontSize(size)
      .fillColor(color);

  return {
    pdf,
    root,
    get y() {
      return y;
    },
    moveTo(to: number) {
      y = to;
    },
    /** Begins a new page unless `height` fits on this one. Returns whether it did. */
    ensure(height: number): boolean {
      if (y + height <= bottomOfPage) return false;
      pdf.addPage();
      y = margin.top;
      return true;
    },
    height(text: string, width: number, style: TextStyle): number {
      use(style);
      return pdf.heightOfString(text, { width, lineGap: style.lineGap ?? 0 });
    },
    width(text: string, style: TextStyle): number {
      use(style);
      return pdf.widthOfString(text);
    },
    /** Draws text at a place, without a tag of its own. */
    text(text: string, at: { x: number; y: number; width: number }, style: TextStyle): void {
      use(style);
      const { align = "left", lineGap = 0 } = style;
      pdf.text(text, at.x, at.y, { width: at.width, align, lineGap });
    },
    /** Adds a structure element; what `draw` draws is its content. */
    tag(parent: Tag, type: string, draw: (() => void) | null, options: { alt?: string; scope?: string } = {}): Tag {
      const element = pdf.struct(type, options);
      parent.add(element);
      if (draw) element.add(draw);
      return element;
    },
    artifact(draw: () => void): void {
      pdf.markContent("Artifact", { type: "Layout" });
      draw();
      pdf.endMarkedContent();
    },
    async finish(footer: (page: number, pages: number) => void): Promise<Buffer> {
      const { start, count } = pdf.bufferedPageRange();
      for (let page = 0; page < count; page += 1) {
        pdf.switchToPage(start + page);
        pdf.markContent("Artifact", { type: "Pagination" });
        footer(page + 1, count);
        pdf.endMarkedContent();
      }
      root.end();
      pdf.end();
      return finished;
    },
  };
}

/** `follows`: height of what must be on the same page. */
export function heading(page: Page, parent: Tag, text: string, follows = 60): Tag {
  const style = { size: 13, bold: true };
  page.moveTo(page.y + 20);
  page.ensure(30 + follows);
  const section = page.tag(parent, "Sect", null);
  const height = page.height(text, contentWidth, style);
  const top = page.y;
  page.tag(section, "H2", () => page.text(text, { x: margin.left, y: top, width: contentWidth }, style));
  page.moveTo(top + height + 8);
  return section;
}

export function paragraph(page: Page, parent: Tag, text: string, style: TextStyle = { size: 9.5 }): void {
  const height = page.height(text, contentWidth, style);
  page.ensure(height);
  const top = page.y;
  page.tag(parent, "P", () => page.text(text, { x: margin.left, y: top, width: contentWidth }, style));
  page.moveTo(top + height + 4);
}
