// Tables of a report: the header is repeated on every page, long texts are wrapped, and a row is never split.
import { a4, bottomOfPage, colors, contentWidth, margin, type Page, type Tag } from "./page.rules.ts";

export type Column<Row> = {
  title: string;
  /** Share of the width. */
  share: number;
  align?: "left" | "right";
  cell(row: Row): { text: string; color?: string; arrow?: "up" | "down"; note?: string };
};

const body = { size: 9 };
const head = { size: 8, bold: true, color: colors.muted };
const note = { size: 7.5, color: colors.muted };
const pad = { x: 6, y: 4.5 };
const arrowWidth = 9;

export function table<Row>(page: Page, parent: Tag, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  let left = margin.left;
  const placed = columns.map((column) => {
    const width = (contentWidth * column.share) / shares;
    const place = { column, x: left + pad.x, width: width - 2 * pad.x };
    left += width;
    return place;
  });
  type Placed = (typeof placed)[number];

  const drawTitle = ({ column: { title, align = "left" }, x, width }: Placed, y: number) =>
    page.text(title, { x, y, width }, { ...head, align });
  const headHeight = Math.max(...placed.map(({ column, width }) => page.height(column.title, width, head))) + 2 * pad.y;
  const ruleAt = (y: number, color: string, width = 0.6) =>
    page.pdf
      .moveTo(margin.left, y)
      .lineTo(a4.width - margin.right, y)
      .lineWidth(width)
      .strokeColor(color)
      .stroke();

  const element = page.tag(parent, "Table", null);
  const titles = page.tag(page.tag(element, "THead", null), "TR", null);
  const top = page.y;
  for (const one of placed) page.tag(titles, "TH", () => drawTitle(one, top + pad.y), { scope: "Column" });
  page.artifact(() => ruleAt(top + headHeight, colors.muted));
  page.moveTo(top + headHeight);

  /** Only the first header is read aloud. */
  function repeatHeader(): void {
    const y = page.y;
    page.artifact(() => {
      for (const one of placed) drawTitle(one, y + pad.y);
      ruleAt(y + headHeight, colors.muted);
    });
    page.moveTo(y + headHeight);
  }

  const rowsTag = page.tag(element, "TBody", null);
  for (const row of rows) {
    const cells = placed.map((place) => ({ ...place, content: place.column.cell(row) }));
    const heights = cells.map(
      ({ content, width }) =>
        page.height(content.text, width, body) +
        (content.note === undefined ? 0 : page.height(content.note, width, note)),
    );
    const height = Math.min(Math.max(...heights) + 2 * pad.y, bottomOfPage - margin.top - headHeight);
    if (page.ensure(height)) repeatHeader();
    const y = page.y;
    const line = page.tag(rowsTag, "TR", null);
    for (const { column, content, x, width } of cells) {
      const { align = "left" } = column;
      page.tag(line, "TD", () => {
        page.text(content.text, { x, y: y + pad.y, width }, { ...body, align, color: content.color ?? colors.text });
        if (content.note !== undefined)
          page.text(
            content.note,
            { x, y: y + pad.y + page.height(content.text, width, body), width },
            { ...note, align },
          );
      });
      if (content.arrow !== undefined) {
        const textWidth = page.width(content.text, body);
        const at = { x: x + width - textWidth - arrowWidth, y: y + pad.y + 3 };
        page.artifact(() => drawArrow(page, content.arrow ?? "up", at, content.color ?? colors.text));
      }
    }
    page.artifact(() => ruleAt(y + height, colors.rule, 0.4));
    page.moveTo(y + height);
  }
}

export function drawArrow(page: Page, way: "up" | "down", { x, y }: { x: number; y: number }, color: string): void {
  const [tip, base] = way === "up" ? [y, y + 5.5] : [y + 5.5, y];
  page.pdf
    .moveTo(x, base)
    .lineTo(x + 6, base)
    .lineTo(x + 3, tip)
    .fill(color);
}
