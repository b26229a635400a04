// Tests which version of the data processing agreement applies on a date.
import { expect, test } from "vitest";
import {
  findAgreement,
  agreements,
  endUserLicense,
  newestAgreement,
  privacyPolicy,
  formatPublicationDate,
} from "./agreements.ts";

test("LE-01 the four versions and the day each was published", () => {
  expect(agreements.map((agreement) => [agreement.date, agreement.version, formatPublicationDate(agreement)])).toEqual([
    ["2020-03-25", "1.01", "25.03.2020"],
    ["2020-06-03", "1.02", "03.06.2020"],
    ["2020-08-20", "1.03", "20.08.2020"],
    ["2024-06-01", "2.00", "01.06.2024"],
  ]);
});

test("LE-01 policy and license agreement are in version 2.00 of 01.06.2024, and so is the newest agreement", () => {
  for (const document of [privacyPolicy, endUserLicense, newestAgreement]) {
    expect([document.version, formatPublicationDate(document)]).toEqual(["2.00", "01.06.2024"]);
  }
  expect(agreements.every(({ date }) => date <= newestAgreement.date)).toBe(true);
});

test.each([
  ["the day itself", "2020-03-25", "1.01"],
  ["the last day of the first", "2020-06-02", "1.01"],
  ["the first day of the second", "2020-06-03", "1.02"],
  ["the last day of the second", "2020-08-19", "1.02"],
  ["the first day of the third", "2020-08-20", "1.03"],
  ["a leap day", "2024-02-29", "1.03"],
  ["the last day of the third", "2024-05-31", "1.03"],
  ["the first day of the newest", "2024-06-01", "2.00"],
  ["a day far ahead", "9999-12-31", "2.00"],
])("LE-01 %s, %s, is in version %s", (_, date, version) => {
  expect(findAgreement(date)?.version).toBe(version);
});

test.each([
  ["the day before the first", "2020-03-24"],
  ["the first of all years", "0000-01-01"],
  ["a day that February never has", "2024-02-30"],
  ["a leap day of a common year", "2023-02-29"],
  ["month thirteen", "2024-13-01"],
  ["day nought", "2024-06-00"],
  ["nothing", ""],
  ["a path", "../../etc/passwd"],
  ["a date and a NUL", "2024-06-01\0"],
  ["a date and a line", "2024-06-01\n"],
  ["a date after a blank", " 2024-06-01"],
  ["a date and a time", "2024-06-01T00:00:00Z"],
  ["a date and a path", "2024-06-01/../.."],
  ["the printed form", "01.06.2024"],
  ["digits of another script", "٢٠٢٤-٠٦-٠١"],
  ["a short month", "2024-6-1"],
  ["a negative year", "-2024-06-01"],
  ["a year of six digits", "+012024-06-01"],
  ["a name every object has", "constructor"],
  ["a name that objects inherit from", "__proto__"],
])("LE-01 T-25 %s is in no version", (_, date) => {
  expect(findAgreement(date)).toBeNull();
});
