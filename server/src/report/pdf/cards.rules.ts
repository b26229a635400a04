// Cards with the main numbers of a report.
import { changeColor, colors, contentWidth, margin, type Page, type Tag } from "./page.rules.ts";
import { drawArrow } from "./table.rules.ts";

export type Card = { label: string; value: string; change: number | null; note: string };

export const toSentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

export function drawCards(page: Page, section: Tag, cards: readonly Card[]): void {
  const [gap, pad, tall] = [10, 10, 78];
  const width = (contentWidth - gap * (cards.length - 1)) / cards.length;
  page.ensure(tall);
  const top = page.y;
  for (const [index, { label, value, change, note }] of cards.entries()) {
    const x = margin.left + index * (width + gap);
    const inner = { x: x + pad, width: width - 2 * pad };
    page.artifact(() => page.pdf.roundedRect(x, top, width, tall, 5).fill(colors.ground));
    const hasArrow = change !== null && change !== 0;
    const indent = hasArrow ? 11 : 0;
    page.tag(section, "P", () => {
      page.text(label, { ...inner, y: top + pad - 1 }, { size: 8.5, color: colors.muted });
      page.text(value, { ...inner, y: top + pad + 11 }, { size: 19, bold: true });
      page.text(
        note,
        { x: inner.x + indent, width: inner.width - indent, y: top + pad + 37 },
        { size: 8, color: changeColor(change) },
      );
    });
    if (hasArrow)
      page.artifact(() =>
        drawArrow(page, change > 0 ? "up" : "down", { x: inner.x, y: top + pad + 39 }, changeColor(change)),
      );
  }
  page.moveTo(top + tall + 10);
}
