// Checks and actions of the opening hours form.
import { openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { expect, test } from "vitest";
import {
  checkOpening,
  copyToWeekdays,
  errorsBelow,
  fieldOfPath,
  inFormOrder,
  initialHours,
  nextRange,
  normalizeTime,
  refusedField,
  suggestRanges,
} from "./opening.rules.ts";

test.each([
  ["9", "09:00"],
  ["09", "09:00"],
  ["930", "09:30"],
  ["0930", "09:30"],
  ["9:30", "09:30"],
  ["9.30", "09:30"],
  [" 21h15 ", "21:15"],
  ["9 am", "09:00"],
  ["9:30pm", "21:30"],
  ["12 am", "00:00"],
  ["12 p.m.", "12:00"],
  ["24", "24:00"],
  ["2400", "24:00"],
  ["13 pm", "13 pm"],
  ["0 am", "0 am"],
  ["9:3", "9:3"],
  ["noon", "noon"],
  ["", ""],
])("the typed time %j is %j", (typed, time) => expect(normalizeTime(typed)).toBe(time));

test("errors are found by field, with the message of the schema", () => {
  const hours = {
    ...initialHours,
    week: {
      ...initialHours.week,
      mo: [
        { from: "09:00", to: "12:00" },
        { from: "11:00", to: "" },
      ],
      tu: [
        { from: "09:00", to: "12:00" },
        { from: "11:00", to: "13:00" },
      ],
    },
    exceptions: [{ date: "", hours: [], name: "<b>" }],
  };
  const errors = checkOpening(hours);
  expect(errors).toEqual({
    "week.mo.1.to": "Times look like 09:30 or 24:00",
    "week.tu.1": "This range overlaps another one",
    "exceptions.0.date": "Dates look like 2026-12-24",
    "exceptions.0.name": expect.any(String),
  });
  expect(errorsBelow(errors, "week.tu")).toEqual(["This range overlaps another one"]);
  expect(errorsBelow(errors, "week.t")).toEqual([]);
  expect([fieldOfPath("week.tu.1"), fieldOfPath("week.mo.1.to")]).toEqual(["week.tu.1.from", "week.mo.1.to"]);
  expect(checkOpening(null)).toEqual({});
  expect(checkOpening(initialHours)).toEqual({});
});

test("a refusal of the server is assigned to its field", () => {
  const reason = "The country has no such region.";
  expect(refusedField({ field: "changes.openingHours.holidays.region", reason })).toEqual({
    path: "holidays.region",
    message: reason,
  });
  expect(refusedField({ field: "name", reason })).toBeNull();
  expect(refusedField({})).toBeNull();
});

test("a new day takes the hours of the open day before it, and a new range begins where the last one ends", () => {
  const { week } = initialHours;
  const late = [{ from: "10:00", to: "22:00" }];
  expect(suggestRanges({ ...week, fr: late }, "su")).toEqual(late);
  expect(suggestRanges({ ...week, mo: [] }, "mo")).toEqual([{ from: "09:00", to: "18:00" }]);
  expect(nextRange([{ from: "09:00", to: "12:00" }])).toEqual({ from: "12:00", to: "" });
  expect(nextRange([{ from: "09:00", to: "24:00" }])).toEqual({ from: "", to: "" });
  expect(copyToWeekdays({ ...week, sa: late }, "sa")).toEqual({
    mo: late,
    tu: late,
    we: late,
    th: late,
    fr: late,
    sa: late,
    su: [],
  });
});

test("stored hours get the form's order, so that equal hours are no change", () => {
  const stored = openingHoursInput.parse({ week: {}, holidays: { closed: true, region: "BE", country: "DE" } });
  const shuffled = {
    holidays: stored.holidays,
    exceptions: [],
    week: Object.fromEntries(Object.entries(stored.week).toReversed()) as typeof stored.week,
  };
  expect(JSON.stringify(inFormOrder(shuffled))).toBe(JSON.stringify(inFormOrder(stored)));
  expect(inFormOrder(null)).toBeNull();
});
