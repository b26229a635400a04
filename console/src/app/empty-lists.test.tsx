// Tests the messages of empty lists and of lists without a match.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const below = { me: true, myChildren: true };
const viewing = { canViewObject: below };
const permissions: Permissions = {
  owner: { canViewOwner: below },
  ownable: { role: viewing, sensor: viewing, measurement: viewing, artifact: viewing },
};
const me = plainAccount({
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
});

type List = [
  row: string,
  address: string,
  none: string,
  text: string,
  noMatch: string,
  noMatchText: string,
  way: string,
];
const lists: List[] = [
  [
    "AC-06",
    "/account?viewType=list",
    "No accounts existing",
    "Accounts are used for personal access on this platform.",
    "No accounts found",
    "No accounts found for the given filter criteria.",
    "Show all accounts",
  ],
  [
    "RO-01",
    "/role",
    "No roles existing",
    "With roles you can assign permissions to accounts.",
    "No roles found",
    'No roles found for "zzz".',
    "Show all roles",
  ],
  [
    "SE-01",
    "/sensor",
    "No sensors existing",
    "Sensors can be used with locations to collect data.",
    "No sensors found",
    "No sensors found for the given filter criteria.",
    "Clear filters",
  ],
  [
    "IT-01",
    "/init-token",
    "No Init Tokens existing",
    "Init tokens register sensors on first contact and set their owner and firmware.",
    "No Init Tokens found",
    "No init tokens found for the given filter criteria.",
    "Show all init tokens",
  ],
  [
    "DB-03",
    "/location/reports",
    "No reports existing",
    "A report emails the counts of your locations every day, week or month, with a PDF that you can forward.",
    "No reports found",
    "No reports found for the given filter criteria.",
    "Show all reports",
  ],
  [
    "LO-01",
    "/location",
    "No locations existing",
    "Locations can be used with sensors to collect data.",
    "No locations found",
    "No locations found for the given filter criteria.",
    "Show all locations",
  ],
  [
    "FW-01",
    "/firmware",
    "No firmware existing",
    "A firmware represents a sensor application package.",
    "No firmware found",
    "No firmware found for the given filter criteria.",
    "Show all firmware",
  ],
];

test.each(everyNth(3, lists))(
  "%s %s without rows: %s",
  async (_row, address, none, text, noMatch, noMatchText, way) => {
    const server = {
      "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
      ...Object.fromEntries(
        ["account", "role", "v2/sensor", "init_token", "v2/measurement", "artifact", "report"].map((path) => [
          `GET /api/${path}`,
          listResponse([]),
        ]),
      ),
      "GET /api/v2/sensor/batches": { status: 200, body: [] },
      "GET /api/v2/sensor/stats": {
        status: 200,
        body: {
          totalByInfoFirmware: [],
          totalByScomState: [],
          totalByType: [],
          totalByMonitoringLicense: [],
          totalByInstallation: [],
          totalByLastContact: [],
        },
      },
    };
    const filter = address === "/sensor" ? "sensorID=zzz" : "name=zzz";
    const filtered = `${address}${address.includes("?") ? "&" : "?"}${filter}`;
    const { screen } = await openConsole(filtered, server);
    const state = screen.getByRole("status");
    await expect.element(state.getByText(noMatch, { exact: true })).toBeVisible();
    await expect.element(state.getByText(noMatchText, { exact: true })).toBeVisible();
    expect(screen.getByText(none, { exact: true }).elements()).toEqual([]);
    await state.getByRole("button", { name: way, exact: true }).click();
    await expect.element(state.getByText(none, { exact: true })).toBeVisible();
    await expect.element(state.getByText(text, { exact: true })).toBeVisible();
  },
);

test("SH-08 on the phone the floating button covers no link of the footer", async () => {
  await page.viewport(390, 844);
  const creating = { ...viewing, canCreateObjectFor: below };
  await openConsole("/role", {
    "GET /api/auth/user": {
      status: 200,
      body: { ...me, email: "a@example.com", permissions: { ...permissions, ownable: { role: creating } } },
    },
    "GET /api/account": listResponse([me]),
    "GET /api/role": listResponse([]),
  });
  const floating = page.getByRole("button", { name: "Create role" }).last();
  await expect.element(floating).toBeVisible();
  window.scrollTo(0, document.documentElement.scrollHeight);
  const last = page.getByRole("contentinfo").getByRole("link", { name: "Licenses" }).element();
  const isFloating = (one: Element) => getComputedStyle(one).position === "fixed";
  const fab = page.getByRole("button", { name: "Create role" }).elements().find(isFloating);
  expect(last.getBoundingClientRect().bottom).toBeLessThanOrEqual(fab?.getBoundingClientRect().top ?? 0);
});
