// The dashboard against a server that answers as written here: what its card of sensors says of the numbers (DB-01).
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { notFound, openConsole } from "../testing/console.tsx";
import { plainAccount } from "../testing/objects.ts";

const below = { me: true, myChildren: true };
const permissions: Permissions = { ownable: { sensor: { canViewObject: below } } };
const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });

/** Twelve versions, the least used first; version n runs on n times a hundred sensors. */
const firmware = Array.from({ length: 12 }, (_, n) => ({ _id: `1.${n + 1}.0`, count: (n + 1) * 100 }));

function open(stats: Record<string, { _id: unknown; count: number }[]>) {
  const none = { totalByInfoFirmware: [], totalByScomState: [], totalByType: [], totalByMonitoringLicense: [] };
  return openConsole("/dashboard", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/v2/sensor/stats": { status: 200, body: { ...none, ...stats } },
    "GET /api/v2/sensor": notFound,
    "GET /api/account": notFound,
  });
}
const licensed = [{ _id: true, count: 3 }];
const figure = (name: string) => page.getByRole("figure", { name, exact: true });

test("DB-01 three doughnuts: connection, type and license, each with its total and a legend that counts, nothing left out", async () => {
  await open({
    totalByScomState: [
      { _id: "connected", count: 1200 },
      { _id: "notResponding", count: 7 },
      { _id: "disconnected", count: 34 },
    ],
    // A state or a type without any sensor is left out of the answer.
    totalByType: [
      { _id: "ZOD", count: 40 },
      { _id: "APS", count: 1201 },
    ],
    totalByMonitoringLicense: [
      { _id: false, count: 1238 },
      { _id: true, count: 3 },
    ],
  });
  const rings: [string, [string, string][]][] = [
    [
      "Online and offline",
      [
        ["Online", "1,200"],
        ["Not responding", "7"],
        ["Offline", "34"],
      ],
    ],
    [
      "By sensor type",
      [
        ["APS", "1,201"],
        ["PS.C1", "0"],
        ["ZOD", "40"],
      ],
    ],
    [
      "Monitored",
      [
        ["Monitored", "3"],
        ["Unmonitored", "1,238"],
      ],
    ],
  ];
  for (const [name, legend] of rings) {
    const ring = figure(name);
    await expect.element(ring).toBeVisible();
    await expect.element(ring.getByText("1,241", { exact: true })).toBeVisible();
    const words = ring
      .getByRole("term")
      .elements()
      .map((term) => term.textContent.trim());
    const counts = ring
      .getByRole("definition")
      .elements()
      .map((count) => count.textContent.trim());
    expect(words.map((word, n) => [word, counts[n]?.match(/[\d,]+/)?.[0]])).toEqual(legend);
    // Every part that has sensors is visible, however few there are.
    const sizes = legend.map(([, count]) => Number(count.replace(",", ""))).filter((size) => size > 0);
    const arcs = () => [...ring.element().querySelectorAll("path")];
    await expect.poll(() => arcs().length).toBe(sizes.length);
    const lengths = arcs().map((arc) => arc.getTotalLength());
    expect(Math.min(...lengths)).toBeGreaterThan(0);
    expect(lengths.indexOf(Math.max(...lengths))).toBe(sizes.indexOf(Math.max(...sizes)));
  }
});

test("DB-01 the ten firmware versions most in use, the most used first, and how many sensors report none", async () => {
  await open({
    totalByMonitoringLicense: licensed,
    totalByInfoFirmware: [{ _id: null, count: 5000 }, ...firmware],
  });
  const table = page.getByRole("table", { name: "Top 10 most used firmware" });
  await expect.element(table).toBeVisible();
  const rows = table.getByRole("row").elements().slice(1);
  const shown = rows.map((row) => [...row.children].map((cell) => cell.textContent.trim()));
  const wanted = firmware.toReversed().slice(0, 10);
  expect(shown).toEqual(wanted.map(({ _id, count }) => [_id, String(count)]));
  const bars = rows.map((row) => row.querySelector("[aria-hidden]")?.getBoundingClientRect().width ?? 0);
  expect(bars.map((width) => Math.round((width / (bars[0] ?? 1)) * 12))).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  await expect.element(page.getByText("5000 sensors have not reported a firmware")).toBeVisible();
});

test("DB-01 a single sensor without a firmware is reported in the singular", async () => {
  await open({ totalByMonitoringLicense: licensed, totalByInfoFirmware: [{ _id: null, count: 1 }] });
  await expect.element(page.getByText("1 sensor has not reported a firmware")).toBeVisible();
});

test.each([
  ["no license among the sensors", { totalByMonitoringLicense: [{ _id: false, count: 9 }] }],
  ["a license that no sensor holds", { totalByMonitoringLicense: [{ _id: true, count: 0 }] }],
  ["no sensor at all", {}],
])("DB-04 with %s the dashboard's address leads home", async (_case, stats) => {
  const { address } = await open(stats);
  await expect.poll(address).toBe("/sensor");
  expect(page.getByRole("heading", { level: 1, name: "Dashboard" }).elements()).toEqual([]);
});

test("DB-04 one license is enough", async () => {
  const { address } = await open({
    totalByMonitoringLicense: [
      { _id: false, count: 9 },
      { _id: true, count: 1 },
    ],
  });
  await expect.element(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
  expect(address()).toBe("/dashboard");
});
