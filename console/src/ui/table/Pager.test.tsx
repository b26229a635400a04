// Tests which pages the pager links, and navigation between pages.
import fc from "fast-check";
import { useState } from "react";
import { expect, test } from "vitest";
import { page as screen, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { Pager, pageItems } from "./Pager.tsx";

test.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [1, 10, [1, 2, 3, "…", 10]],
  [5, 10, [1, "…", 3, 4, 5, 6, 7, "…", 10]],
  [4, 10, [1, 2, 3, 4, 5, 6, "…", 10]],
  [10, 10, [1, "…", 8, 9, 10]],
] as const)("page %i of %i links first, last, current and two either side", (page, count, items) => {
  expect(pageItems(page, count)).toEqual(items);
});

test("links are ascending and a gap stands exactly where pages are left out", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 400 }), (a, b) => {
      const [page, count] = a <= b ? [a, b] : [b, a];
      const items = pageItems(page, count);
      const numbers = items.filter((item) => item !== "…");
      expect(numbers).toContain(page);
      expect(numbers[0]).toBe(1);
      expect(numbers.at(-1)).toBe(count);
      items.forEach((item, index) => {
        const before = items[index - 1];
        const after = items[index + 1];
        if (item === "…") expect(Number(after) - Number(before)).toBeGreaterThan(1);
        else if (typeof before === "number") expect(item - before).toBe(1);
      });
    }),
  );
});

function Paged({ total = 312 }: { total?: number }) {
  const [page, setPage] = useState(5);
  return <Pager page={page} pageSize={10} total={total} onPageChange={setPage} />;
}

test("shows the rows of the page, marks it and goes to a clicked page", async () => {
  await renderInApp(<Paged />);
  await expect.element(screen.getByText("41–50 of 312")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Page 5" })).toHaveAttribute("aria-current", "page");
  await screen.getByRole("button", { name: "Page 7" }).click();
  await expect.element(screen.getByText("61–70 of 312")).toBeVisible();
});

test("'Go to page' jumps on Enter and stays within the pages", async () => {
  await renderInApp(<Paged />);
  const box = screen.getByLabelText("Go to page");
  await box.fill("12");
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByText("111–120 of 312")).toBeVisible();
  await box.fill("9000");
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByText("311–312 of 312")).toBeVisible();
});

test("one page needs no links, only the count", async () => {
  await renderInApp(<Pager page={1} pageSize={50} total={7} onPageChange={() => undefined} />);
  await expect.element(screen.getByText("1–7 of 7")).toBeVisible();
  expect(screen.getByRole("button").elements()).toHaveLength(0);
});
