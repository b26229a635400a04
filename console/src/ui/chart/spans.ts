// Spans of slots with a meaning of their own, such as weekends, closed time or holidays, in charts and their tables.

export type SlotSpan = {
  /** Indices of the first and the last slot. */
  first: number;
  last: number;
  label: string;
};

/** A span whose background is shaded. `dark` for what matters more, e.g. closed time. */
export type Shade = SlotSpan & { tone: "light" | "dark" };

/** Labels of the spans that contain a slot, each once. */
export const labelsAt = (spans: readonly SlotSpan[], index: number): string[] => [
  ...new Set(spans.filter(({ first, last }) => first <= index && index <= last).map(({ label }) => label)),
];

/** Spans of adjacent slots for which `labelOf` returns the same label. */
export function spansOf<T>(slots: readonly T[], labelOf: (slot: T) => string | null): SlotSpan[] {
  const spans: SlotSpan[] = [];
  for (const [index, slot] of slots.entries()) {
    const label = labelOf(slot);
    const before = spans.at(-1);
    if (label === null) continue;
    if (before?.last === index - 1 && before.label === label) before.last = index;
    else spans.push({ first: index, last: index, label });
  }
  return spans;
}

/** Mean width of a letter of the labels, in px. */
const letterPx = 6.5;
const gapPx = 8;
const fewestLetters = 3;

export type PlacedMark = { from: number; to: number; text: string; anchor: "start" | "end" };

/**
 * Places the labels of marks in one line below a chart of the given width, without overlaps: labels that don't fit are shortened or,
 * if too little of them would be left, omitted. `xOf` returns the edges of a span in px.
 */
export function placeMarks(
  marks: readonly SlotSpan[],
  width: number,
  xOf: (mark: SlotSpan) => { from: number; to: number },
): PlacedMark[] {
  const inOrder = marks.toSorted((a, b) => a.first - b.first);
  let free = 0;
  return inOrder.map((mark, index) => {
    const { from, to } = xOf(mark);
    const next = inOrder[index + 1];
    const right = next === undefined ? width : xOf(next).from - gapPx;
    const wanted = mark.label.length * letterPx;
    const startsAt = Math.max(from, free);
    // The last label may extend to the left.
    const isFromEnd = next === undefined && startsAt + wanted > width && to - wanted >= free;
    const letters = Math.floor((right - startsAt) / letterPx);
    const text = isFromEnd || letters >= mark.label.length ? mark.label : shorten(mark.label, letters);
    if (text !== "") free = (isFromEnd ? to : startsAt + text.length * letterPx) + gapPx;
    return { from, to, text, anchor: isFromEnd ? "end" : "start" };
  });
}

const shorten = (label: string, letters: number) =>
  letters < fewestLetters ? "" : `${label.slice(0, letters - 1).trimEnd()}…`;
