// Opening hours in words (docs/rules/opening-hours.md#screens).
import { type OpeningHours, openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { expect, test } from "vitest";
import { describeExceptions, describeHours, describeWeek } from "./opening.words.ts";

const on = (...texts: string[]) =>
  texts.map((text) => ({ from: text.split("-")[0] as string, to: text.split("-")[1] as string }));
const hoursOf = (week: object, more: object = {}): OpeningHours => openingHoursInput.parse({ week, ...more });
const days = ["mo", "tu", "we", "th", "fr", "sa", "su"];
const all = (...texts: string[]) => Object.fromEntries(days.map((day) => [day, on(...texts)]));

test.each([
  [{ ...all("09:00-20:00"), su: [] }, "Mon–Sat 09:00–20:00, Sun closed"],
  [all("00:00-24:00"), "Always open"],
  [{}, "Always closed"],
  [all("09:00-20:00"), "Mon–Sun 09:00–20:00"],
  [{ mo: on("14:00-18:00", "09:00-12:00") }, "Mon 09:00–12:00 and 14:00–18:00, Tue–Sun closed"],
  [{ fr: on("20:00-02:00"), su: on("00:00-24:00") }, "Mon–Thu closed, Fri 20:00–02:00, Sat closed, Sun open all day"],
])("the week %j in words", (week, words) => expect(describeWeek(hoursOf(week).week)).toBe(words));

test("public holidays and exceptions follow the week", () => {
  const week = { ...all("09:00-20:00"), su: [] };
  const holidays = { country: "DE", region: "BE", closed: true };
  expect(describeHours(hoursOf(week, { holidays }), "Berlin")).toBe(
    "Mon–Sat 09:00–20:00, Sun closed; closed on public holidays in Germany, Berlin",
  );
  expect(describeHours(hoursOf(week, { holidays: { country: "DE", closed: false } }))).toBe(
    "Mon–Sat 09:00–20:00, Sun closed; open as usual on public holidays in Germany",
  );
  const exceptions = [
    { date: "2026-12-24", hours: on("09:00-13:00"), name: "Christmas Eve" },
    { date: "2026-12-31", hours: null },
  ];
  expect(describeHours(hoursOf({}, { exceptions }))).toBe("Always closed; 2 exceptions");
  expect(describeExceptions(hoursOf({}, { exceptions }).exceptions)).toBe(
    "2026-12-24 09:00–13:00 (Christmas Eve), 2026-12-31 closed",
  );
});
