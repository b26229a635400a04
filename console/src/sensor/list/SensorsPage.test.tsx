// The filters of the sensor list, where what can be chosen changes while one chooses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { afterEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { queryClient } from "../../api/query-client.ts";
import { type Answer, type Answers, openConsole } from "../../testing/console.tsx";
import { listOf, plainAccount, plainSensor } from "../../testing/objects.ts";
import { typeInto } from "../../testing/type.ts";

afterEach(() => page.viewport(1280, 800));

const viewing = { canViewObject: { me: true, myChildren: true } };
const permissions: Permissions = { owner: { canViewOwner: { me: true } }, ownable: { sensor: viewing } };
const me = plainAccount({
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
});

const options = () =>
  page
    .getByRole("option")
    .elements()
    .map((option) => option.textContent);

const counts = (reported: Record<string, number>): Answer => ({
  status: 200,
  body: {
    totalByInfoFirmware: Object.entries(reported).map(([_id, count]) => ({ _id, count })),
    totalByScomState: [],
    totalByType: [],
    totalByMonitoringLicense: [],
  },
});
const server = (more: Answers): Answers => ({
  "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
  "GET /api/account": listOf([me]),
  "GET /api/v2/sensor": listOf([]),
  "GET /api/v2/sensor/batches": { status: 200, body: [] },
  "GET /api/v2/sensor/stats": counts({}),
  ...more,
});

test("SE-01 the reported versions stand newest first, and none comes, goes or moves while the list is open", async () => {
  let counted: Record<string, number> = { "1.9.0": 5, "1.10.0": 2 };
  const stats = vi.fn(() => counts(counted));
  const { address } = await openConsole("/sensor", server({ "GET /api/v2/sensor/stats": stats }));
  const versions = page.getByRole("combobox", { name: "Reported firmware version" });
  await expect.element(versions).toBeVisible();
  // A window that ends below the field: the list ends there, and one more choice would push all others up.
  await page.viewport(1280, Math.ceil(versions.element().getBoundingClientRect().bottom) + 60);
  await versions.click();
  await expect.poll(options).toEqual(["Any", "1.10.0", "1.9.0"]);
  const place = () => page.getByRole("option", { name: "1.9.0" }).element().getBoundingClientRect().top;
  const before = place();
  counted = { "2.0.0": 9, "1.10.0": 2 };
  await queryClient.invalidateQueries({ queryKey: ["sensor", "total"] });
  await new Promise(requestAnimationFrame);
  expect(stats).toHaveBeenCalledTimes(2);
  expect(options()).toEqual(["Any", "1.10.0", "1.9.0"]);
  expect(place()).toBe(before);
  await page.getByRole("option", { name: "1.10.0" }).click();
  await expect.poll(address).toBe("/sensor?infoSoftwareFirmwareVersion=1.10.0");
  await expect.poll(options).toEqual([]);
  await versions.click();
  await expect.poll(options).toEqual(["Any", "2.0.0", "1.10.0"]);
});

const removal = (name: string) => page.getByRole("button", { name: `Remove filter ${name}` }).element() as HTMLElement;

test("SE-01 filters changed quickly one after another are all changed, before the page shows the first change", async () => {
  const { address } = await openConsole(
    "/sensor?sensorType=APS&connected=connected&groups=a&groups=b&groups=c",
    server({}),
  );
  await expect.element(page.getByRole("button", { name: "Remove filter Sensor Type: APS" })).toBeVisible();
  const chips = ["Sensor Type: APS", "Groups: a", "Groups: c"].map(removal);
  for (const chip of chips) chip.click();
  await expect.poll(address).toBe("/sensor?connected=connected&groups=b");
  const groups = page.getByLabelText("Groups", { exact: true }).element();
  for (const group of ["d", "e"]) {
    typeInto(groups, group);
    groups.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  }
  await expect.poll(address).toBe("/sensor?connected=connected&groups=b&groups=d&groups=e");
});

const rows = Array.from({ length: 50 }, (_, index) =>
  plainSensor({
    _id: `00:1E:C0:00:00:${index.toString(16).padStart(2, "0").toUpperCase()}`,
    owner: { _id: me._id, name: me.name, isDeleted: false },
  }),
);

test("SE-01 a page that is gone back to is kept while its rows are still being asked for", async () => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  let isHeld = false;
  const { address, back } = await openConsole(
    "/sensor?skip=100",
    server({
      "GET /api/v2/sensor": async (_, query) => {
        if (query.has("connected")) return listOf(rows.slice(0, 3));
        if (isHeld) await held;
        return listOf(rows, 150);
      },
    }),
  );
  await expect.element(page.getByText("101–150 of 150")).toBeVisible();
  await page.getByRole("combobox", { name: "Connection" }).click();
  await page.getByRole("option", { name: "Connected", exact: true }).click();
  await expect.element(page.getByText("1–3 of 3")).toBeVisible();
  queryClient.removeQueries({ queryKey: ["sensor", "list"], type: "inactive" });
  isHeld = true;
  back();
  await expect.element(page.getByRole("button", { name: /^Remove filter/ })).not.toBeInTheDocument();
  answer();
  await expect.element(page.getByText("101–150 of 150")).toBeVisible();
  expect(address()).toBe("/sensor?skip=100");
});

test("SE-01 a page that has emptied leads to the last one, and Back to where one came from", async () => {
  let total = 150;
  const { address, back } = await openConsole(
    "/privacy",
    server({ "GET /api/v2/sensor": () => listOf(total === 150 ? rows : rows.slice(0, 3), total) }),
  );
  await page.getByRole("link", { name: "Sensors", exact: true }).click();
  await page.getByRole("button", { name: "Page 3", exact: true }).click();
  await expect.poll(address).toBe("/sensor?skip=100");
  await expect.element(page.getByText("101–150 of 150")).toBeVisible();
  total = 3;
  await queryClient.invalidateQueries({ queryKey: ["sensor", "list"] });
  await expect.poll(address).toBe("/sensor");
  await expect.element(page.getByText("1–3 of 3")).toBeVisible();
  back();
  back();
  await expect.poll(address).toBe("/privacy");
});
