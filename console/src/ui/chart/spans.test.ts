// Tests which slots a span covers, and that labels below a chart never overlap.
import { expect, test } from "vitest";
import { labelsAt, placeMarks, type SlotSpan, spansOf } from "./spans.ts";

test("adjacent slots with the same label form one span", () => {
  expect(spansOf([1, 1, 0, 1, 2, 2], (slot) => (slot === 0 ? null : String(slot)))).toEqual([
    { first: 0, last: 1, label: "1" },
    { first: 3, last: 3, label: "1" },
    { first: 4, last: 5, label: "2" },
  ]);
  expect(spansOf([], () => "a")).toEqual([]);
});

test("a slot has the labels of all spans around it, each once", () => {
  const spans = [
    { first: 0, last: 2, label: "Weekend" },
    { first: 2, last: 2, label: "Closed" },
    { first: 2, last: 4, label: "Closed" },
  ];
  expect([0, 2, 4, 5].map((index) => labelsAt(spans, index))).toEqual([
    ["Weekend"],
    ["Weekend", "Closed"],
    ["Closed"],
    [],
  ]);
});

const slotPx = 10;
const place = (marks: readonly SlotSpan[], slots: number) =>
  placeMarks(marks, slots * slotPx, ({ first, last }) => ({ from: first * slotPx, to: (last + 1) * slotPx }));
const mark = (first: number, label: string, last = first): SlotSpan => ({ first, last, label });

test("a label with enough room is shown in full, also if the marks are in another order", () => {
  expect(place([mark(40, "Epiphany"), mark(2, "New Year")], 100)).toEqual([
    { from: 20, to: 30, text: "New Year", anchor: "start" },
    { from: 400, to: 410, text: "Epiphany", anchor: "start" },
  ]);
});

test("a label is shortened before the next one, and omitted if too little would be left", () => {
  const texts = place([mark(0, "Spring market"), mark(6, "Boxing Day"), mark(7, "Sale"), mark(30, "End")], 100);
  expect(texts.map(({ text }) => text)).toEqual(["Spring…", "", "Sale", "End"]);
});

test("the last label extends to the left if there is no room at the right", () => {
  expect(place([mark(98, "New Year's Eve", 99)], 100)).toEqual([
    { from: 980, to: 1000, text: "New Year's Eve", anchor: "end" },
  ]);
});

test("labels of one slot don't overlap", () => {
  const shown = place([mark(5, "Holiday"), mark(5, "Concert"), mark(5, "Sale")], 100).filter(({ text }) => text !== "");
  expect(shown).toHaveLength(1);
});
