// Tests the zone clock, pending chips, changes in percent, and the axis and the spans of charts.
import { expect, onTestFinished, test, vi } from "vitest";
import { useState } from "react";
import { renderInApp } from "../testing/render.tsx";
import { ChipsField, addPendingChips } from "./choice/ChipsField.tsx";
import { Change } from "./chart/Change.tsx";
import { CountChart } from "./chart/CountChart.tsx";
import { formatZoneTime } from "./time/ZoneClock.tsx";

const series = [{ name: "In" }, { name: "Out" }];

test.each([
  ["Europe/Berlin", "25.10.2026 02:30:00"],
  ["Asia/Kathmandu", "25.10.2026 06:15:00"],
  ["America/St_Johns", "24.10.2026 22:00:00"],
  ["Not/AZone", "-"],
  [null, "-"],
])("the clock of %s", (zone, text) => {
  expect(formatZoneTime(Date.parse("2026-10-25T00:30:00Z"), zone)).toBe(text);
});

test("pending text becomes chips once, trimmed and split at commas", () => {
  expect(addPendingChips(["a"], " b, a ,, b")).toEqual(["a", "b"]);
  expect(addPendingChips(["a"], "  ")).toEqual(["a"]);
});

test.each([
  [0, "1"],
  [1, "1"],
  [3, "4"],
  [70, "100"],
  [1001, "2,000"],
])("an axis for %d ends at %s", async (most, top) => {
  const slots = [
    { at: "2026-10-24T22:00:00Z", label: "00:00", values: [most, null] },
    { at: "2026-10-24T23:00:00Z", label: "01:00", values: [0, 0] },
  ];
  const screen = await renderInApp(<CountChart label="People" series={series} slots={slots} slotName="Hour" />);
  const drawn = () => [...screen.container.querySelectorAll("svg text")].map(({ textContent }) => textContent);
  await expect.poll(() => drawn().at(-1)).toBe(top);
  expect(drawn()).toContain("0");
  // Decorative pictures are hidden from assistive technology, so nothing in them may be focusable.
  expect(screen.container.querySelector('[aria-hidden] [tabindex="0"]')).toBeNull();
});

function Groups() {
  const [groups, setGroups] = useState<string[]>(["hall"]);
  return (
    <>
      <ChipsField label="Groups" value={groups} onChange={setGroups} />
      <output>{groups.join("|")}</output>
    </>
  );
}

test("Enter and leaving the field make chips, Backspace takes the last one away", { tags: "prove" }, async () => {
  const screen = await renderInApp(<Groups />);
  const chips = () => screen.getByRole("status").element().textContent;
  const field = screen.getByLabelText("Groups");
  await field.fill("north");
  await field.click();
  await expect.poll(chips).toBe("hall");
  const { userEvent } = await import("vitest/browser");
  await userEvent.keyboard("{Enter}");
  await expect.poll(chips).toBe("hall|north");
  await userEvent.keyboard("{Backspace}");
  await expect.poll(chips).toBe("hall");
  await userEvent.keyboard("east");
  await userEvent.tab();
  await expect.poll(chips).toBe("hall|east");
});

test("the chart has its numbers as a table; an unknown hour is a dash, no zero", { tags: "prove" }, async () => {
  const slots = [
    { at: "2026-10-24T22:00:00Z", label: "00:00", values: [null, null] },
    { at: "2026-10-24T23:00:00Z", label: "01:00", values: [0, 1200] },
  ];
  const screen = await renderInApp(<CountChart label="People" series={series} slots={slots} slotName="Hour" />);
  await screen.getByRole("button", { name: "Show table" }).click();
  await expect.element(screen.getByRole("row", { name: "00:00 – –" })).toBeVisible();
  await expect.element(screen.getByRole("row", { name: "01:00 0 1,200" })).toBeVisible();
});

test.each([
  [12, "up 12 %"],
  [-3, "down 3 %"],
  [0, "unchanged, 0 %"],
  [1234, "up 1,234 %"],
])("a change of %d percent has an arrow and a word", async (percent, words) => {
  const screen = await renderInApp(<Change percent={percent} />);
  await expect.element(screen.getByText(words)).toBeVisible();
  expect(screen.container.querySelector("svg[aria-hidden]")).not.toBeNull();
});

test("spans are shaded, named in the legend, below the axis and in the table", async () => {
  const slots = [24, 25, 26, 27].map((day) => ({
    at: `2026-12-${day}T00:00:00Z`,
    label: `${day} Dec 2026`,
    values: [day, 1],
  }));
  const screen = await renderInApp(
    <div style={{ width: 600 }}>
      <CountChart
        label="People"
        series={[{ name: "In" }, { name: "Out", isHidden: true }]}
        slots={slots}
        shades={[{ first: 1, last: 2, label: "Closed", tone: "dark" }]}
        marks={[{ first: 1, last: 1, label: "Christmas Day" }]}
        slotName="Day"
      />
    </div>,
  );
  await expect.element(screen.getByText("Closed", { exact: true })).toBeVisible();
  await expect.poll(() => screen.container.querySelector("svg")?.textContent).toContain("Christmas Day");
  expect(screen.getByText("Out", { exact: true }).elements()).toEqual([]);
  await screen.getByRole("button", { name: "Show table" }).click();
  await expect.element(screen.getByRole("row", { name: "24 Dec 2026 24 1" })).toBeVisible();
  await expect.element(screen.getByRole("row", { name: "25 Dec 2026 Closed, Christmas Day 25 1" })).toBeVisible();
  await expect.element(screen.getByRole("row", { name: "26 Dec 2026 Closed 26 1" })).toBeVisible();
});

test("when clocks go back, both hours with the same label are shown and stay in place", async () => {
  const complaints = vi.spyOn(console, "error");
  onTestFinished(() => complaints.mockRestore());
  const slots = (second: number) => [
    { at: "2026-10-25T00:00:00Z", label: "02:00", values: [7, 1] },
    { at: "2026-10-25T01:00:00Z", label: "02:00", values: [second, 2] },
  ];
  const Night = () => {
    const [second, setSecond] = useState(8);
    return (
      <>
        <button onClick={() => setSecond(9)}>Count</button>
        <CountChart label="People" series={series} slots={slots(second)} slotName="Hour" />
      </>
    );
  };
  const screen = await renderInApp(<Night />);
  await screen.getByRole("button", { name: "Show table" }).click();
  await screen.getByRole("button", { name: "Count" }).click();
  await expect.element(screen.getByRole("row", { name: "02:00 7 1" })).toBeVisible();
  await expect.element(screen.getByRole("row", { name: "02:00 9 2" })).toBeVisible();
  expect(screen.getByRole("row").elements()).toHaveLength(3);
  // If two hours had the same key, React would warn, and might omit one of the hours.
  expect(complaints).not.toHaveBeenCalled();
});
