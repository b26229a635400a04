// The chart of a report: bars of people in, a line of the earlier period, and hatched steps where nothing is known.
import type { Step } from "../../counts/summary/steps.service.ts";
import { count } from "../run/report-words.rules.ts";
import { a4, colors, contentWidth, margin, type Page, type Tag } from "./page.rules.ts";

const height = 170;
/** With its legend. */
export const chartHeight = height + 24;
const axis = { left: 44, bottom: 30, top: 8 };
const label = { size: 7.5, color: colors.muted };
const maxLabels = 12;

type Chart = { steps: readonly Step[]; labelOf: (step: Step) => string; alt: string; earlierLabel: string | null };

/** 1, 2 or 5 times a power of ten, so that there are at most five lines. */
export function gridStep(max: number): number {
  const rough = Math.max(1, max / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  return factor * power;
}

export function drawChart(page: Page, parent: Tag, { steps, labelOf, alt, earlierLabel }: Chart): void {
  page.ensure(chartHeight);
  const top = page.y;
  const figure = page.tag(parent, "Figure", null, { alt });
  figure.add(() => {
    drawLegend(page, top, { earlierLabel, hasUnknown: steps.some((step) => step.in === null) });
    drawPlot(page, top + 18, { steps, labelOf });
  });
  page.moveTo(top + 18 + height + 6);
}

function drawLegend(
  page: Page,
  y: number,
  { earlierLabel, hasUnknown }: { earlierLabel: string | null; hasUnknown: boolean },
): void {
  const { pdf } = page;
  let x = margin.left + axis.left;
  const entry = (text: string, draw: () => void) => {
    draw();
    page.text(text, { x: x + 16, y: y + 1, width: 300 }, label);
    x += 16 + page.width(text, label) + 18;
  };
  entry("People in", () => pdf.rect(x, y + 2, 10, 7).fill(colors.primary));
  if (earlierLabel !== null)
    entry(earlierLabel, () =>
      pdf
        .moveTo(x, y + 5.5)
        .lineTo(x + 11, y + 5.5)
        .lineWidth(1.4)
        .strokeColor(colors.earlier)
        .stroke(),
    );
  if (hasUnknown) entry("Unknown", () => hatch(page, { x, y: y + 2, width: 10, height: 7 }));
}

function drawPlot(page: Page, top: number, { steps, labelOf }: Pick<Chart, "steps" | "labelOf">): void {
  const { pdf } = page;
  const [left, right] = [margin.left + axis.left, a4.width - margin.right];
  const [zero, ceiling] = [top + height - axis.bottom, top + axis.top];
  const most = Math.max(1, ...steps.flatMap((step) => [step.in ?? 0, step.earlierIn ?? 0]));
  const grid = gridStep(most);
  const max = Math.ceil(most / grid) * grid;
  const yOf = (value: number) => zero - (value / max) * (zero - ceiling);
  for (let value = 0; value <= max; value += grid) {
    const y = yOf(value);
    pdf
      .moveTo(left, y)
      .lineTo(right, y)
      .lineWidth(value === 0 ? 0.8 : 0.4)
      .strokeColor(value === 0 ? colors.muted : colors.rule)
      .stroke();
    page.text(count.format(value), { x: margin.left, y: y - 4.5, width: axis.left - 8 }, { ...label, align: "right" });
  }
  const slot = (right - left) / steps.length;
  const gap = slot > 6 ? slot * 0.24 : slot * 0.1;
  for (const [index, step] of steps.entries()) {
    const x = left + index * slot + gap / 2;
    if (step.in === null) hatch(page, { x, y: ceiling, width: slot - gap, height: zero - ceiling });
    else if (step.in > 0) pdf.rect(x, yOf(step.in), slot - gap, zero - yOf(step.in)).fill(colors.primary);
  }
  drawEarlier(page, steps, (index) => left + (index + 0.5) * slot, yOf);
  const every = Math.ceil(steps.length / maxLabels);
  const width = slot * every;
  for (const [index, step] of steps.entries()) {
    if (index % every !== 0) continue;
    const center = left + (index + 0.5) * slot;
    page.text(labelOf(step), { x: center - width / 2, y: zero + 6, width }, { ...label, align: "center" });
  }
}

/** The line has gaps where the earlier period is unknown. */
function drawEarlier(
  page: Page,
  steps: readonly Step[],
  xOf: (index: number) => number,
  yOf: (value: number) => number,
): void {
  const { pdf } = page;
  let isOpen = false;
  for (const [index, { earlierIn }] of steps.entries()) {
    if (earlierIn === null) {
      isOpen = false;
      continue;
    }
    if (isOpen) pdf.lineTo(xOf(index), yOf(earlierIn));
    else pdf.moveTo(xOf(index), yOf(earlierIn));
    isOpen = true;
  }
  pdf.lineWidth(1.4).lineJoin("round").strokeColor(colors.earlier).stroke();
  for (const [index, { earlierIn }] of steps.entries())
    if (earlierIn !== null && steps.length <= contentWidth / 12)
      pdf.circle(xOf(index), yOf(earlierIn), 1.8).fill(colors.earlier);
}

function hatch(
  page: Page,
  { x, y, width, height: tall }: { x: number; y: number; width: number; height: number },
): void {
  const { pdf } = page;
  pdf.save().rect(x, y, width, tall).clip();
  for (let at = -tall; at < width; at += 4) pdf.moveTo(x + at, y + tall).lineTo(x + at + tall, y);
  pdf.lineWidth(0.7).strokeColor(colors.earlier).stroke().restore();
}
