// Opens every dialog, drawer and menu. A test compares this list with the sources.

import { expect } from "@playwright/test";
import { button, type DialogVisit, openBatch, openByButton } from "./dialog-visit.ts";
import { interruptingDialogs } from "./interrupting-dialogs.ts";
import { issueDialogs } from "./issue-dialogs.ts";
import { sensorDialogs } from "./sensor-dialogs.ts";
import { type Api, newSensorId } from "./world.ts";

/** Dialogs with a URL, which are visited like pages. */
export const dialogsWithAddress: Record<string, string> = {
  "account/form/DeleteAccountDialog.tsx DeleteDialog 2": "/myaccount/delete/$id",
  "account/form/DeleteAccountDialog.tsx DeleteDialog": "/account/delete/$id",
  "account/form/EditAccountDialog.tsx FormDialog": "/account/$id",
  "account/import/ImportAccountsDialog.tsx FormDialog": "/account/import",
  "account/form/NewAccountDialog.tsx FormDialog": "/account/new",
  "invitation/InviteDialog.tsx FormDialog": "/account/invite",
  "account/form/ReviewAccountDialog.tsx FormDialog": "/account/review/$id",
  "firmware/EditFirmwareDialog.tsx DeleteOwned": "/firmware/delete/$id",
  "firmware/EditFirmwareDialog.tsx EditOwned": "/firmware/$id",
  "firmware/NewFirmwareDialog.tsx FormDialog": "/firmware/new",
  "event/EventsPage.tsx DeleteOwned": "/location/events/delete/$id",
  "event/EventsPage.tsx FormDialog": "/location/events/new",
  "event/EventsPage.tsx EditOwned": "/location/events/$id",
  "init-token/InitTokensPage.tsx DeleteOwned": "/init-token/delete/$id",
  "init-token/InitTokensPage.tsx NewOwned": "/init-token/new",
  "init-token/InitTokensPage.tsx EditOwned": "/init-token/$id",
  "location/LocationsPage.tsx DeleteOwned": "/location/delete/$id",
  "sales/ImportSalesDialog.tsx FormDialog": "/location/import-sales",
  "occupancy/light/LiveDisplayPreview.tsx Dialog": "/location/$id/apps/occupancy/live",
  "occupancy/link/LinkDialog.tsx FormDialog": "/location/$id/apps/occupancy/link",
  "report/ReportsPage.tsx DeleteOwned": "/location/reports/delete/$id",
  "report/ReportsPage.tsx NewOwned": "/location/reports/new",
  "report/ReportsPage.tsx EditOwned": "/location/reports/$id",
  "role/RoleDialogs.tsx DeleteOwned": "/role/delete/$id",
  "role/RoleDialogs.tsx EditOwned": "/role/$id",
  "role/RoleDialogs.tsx NewOwned": "/role/new",
  "sensor/list/NewSensorDialog.tsx DeleteOwned": "/sensor/delete/$id",
  "sensor/list/NewSensorDialog.tsx NewOwned": "/sensor/new",
};

/** `location` is a location that the user may edit, `counting` one with the occupancy app. */
export const dialogVisits = (api: Api, location: string, counting: string): DialogVisit[] => [
  ...ofFrame,
  ...ofOwnAccount,
  ...ofBatches(api),
  ...ofLocations(api, location, counting),
  ...sensorDialogs(api),
  ...issueDialogs(api),
  ...interruptingDialogs(api, location),
  ...ofLists(location),
];

const ofFrame: DialogVisit[] = [
  {
    shows: ["app/menus/AppsPanel.tsx Drawer"],
    open: async (page) => {
      await page.goto("/privacy");
      return openByButton(page, "Apps");
    },
  },
  {
    shows: ["app/menus/AccountMenuPanel.tsx Menu"],
    open: async (page) => {
      await page.goto("/privacy");
      return openByButton(page, "Account menu", "menu");
    },
  },
  {
    shows: ["app/keyboard/Palette.tsx Dialog"],
    open: async (page) => {
      await page.goto("/privacy");
      await expect(button(page, "Account menu")).toBeVisible();
      await page.keyboard.press("Control+k");
      return page.getByRole("dialog");
    },
  },
  {
    shows: ["app/keyboard/ShortcutsDialog.tsx Dialog"],
    open: async (page) => {
      await page.goto("/privacy");
      await expect(button(page, "Account menu")).toBeVisible();
      await page.keyboard.press("?");
      return page.getByRole("dialog");
    },
  },
  {
    shows: ["ui/SpeedDial.tsx MenuButton"],
    open: async (page) => {
      await page.goto("/account");
      return openByButton(page, "Add account", "menu");
    },
  },
];

const ofOwnAccount: DialogVisit[] = [
  {
    shows: ["account/own/OwnSessions.tsx ConfirmDialog"],
    open: async (page) => {
      await page.goto("/myaccount");
      return openByButton(page, "Log out all other devices", "alertdialog");
    },
  },
  {
    shows: ["opening/DefaultHours.tsx FormDialog"],
    open: async (page) => {
      await page.goto("/myaccount");
      return openByButton(page, "Edit opening hours");
    },
  },
  {
    shows: ["account/own/FeedLink.tsx ConfirmDialog"],
    open: async (page) => {
      await page.goto("/myaccount");
      const create = button(page, "Create feed link");
      await expect(create.or(button(page, "Revoke feed link"))).toBeVisible();
      if (await create.isVisible()) await create.click();
      return openByButton(page, "Revoke feed link", "alertdialog");
    },
  },
];

const ofBatches = (api: Api): DialogVisit[] => [
  {
    shows: ["account/list/AccountBatchDialogs.tsx BatchDialog"],
    open: (page) => openBatch(page, "/account?viewType=list", "Set role"),
  },
  {
    shows: ["account/list/AccountBatchDialogs.tsx BatchDialog 2"],
    open: (page) => openBatch(page, "/account?viewType=list", "Delete"),
  },
  { shows: ["entity/batch/owned-batch.tsx BatchDialog"], open: (page) => openBatch(page, "/role", "Set owner") },
  {
    shows: ["entity/batch/owned-batch.tsx BatchDialog 2"],
    open: (page) => openBatch(page, "/role", "Delete"),
  },
  {
    shows: ["sensor/batch/SensorBatchDialogs.tsx BatchDialog"],
    open: (page) => openBatch(page, "/sensor", "Set location"),
  },
  {
    shows: ["sensor/batch/SensorBatchDialogs.tsx BatchDialog 2"],
    open: (page) => openBatch(page, "/sensor", "Delete"),
  },
  {
    shows: ["rollout/RolloutActions.tsx BatchDialog"],
    open: async (page) => {
      // A sensor that never connects stays waiting.
      const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
      const [firmware] = await api.get<{ _id: string }[]>("/api/artifact?sensorType=APS&limit=1");
      const _id = newSensorId();
      await api.post("/api/sensor", { _id, type: "APS", owner });
      await api.put(`/api/sensor/${_id}`, { artifact: firmware?._id });
      await page.goto(`/firmware/${firmware?._id}/rollout`);
      return openByButton(page, "Cancel waiting");
    },
  },
  {
    shows: ["location/batch/LocationBatch.tsx BatchDialog"],
    open: (page) => openBatch(page, "/location", "Set owner"),
  },
  {
    shows: ["location/batch/LocationBatch.tsx BatchDialog 2"],
    open: (page) => openBatch(page, "/location", "Set address"),
  },
  {
    shows: ["location/batch/EditTagsDialog.tsx BatchDialog"],
    open: (page) => openBatch(page, "/location", "Edit tags"),
  },
  {
    shows: ["location/batch/LocationBatch.tsx BatchDialog 3"],
    open: (page) => openBatch(page, "/location", "Delete"),
  },
  {
    shows: ["location/batch/HoursDialog.tsx BatchDialog"],
    open: (page) => openBatch(page, "/location", "Opening hours"),
  },
  {
    shows: ["location/counts/CompareTools.tsx MenuButton"],
    open: async (page) => {
      await page.goto("/location/counts");
      return openByButton(page, "More files", "menu");
    },
  },
];

const ofLocations = (api: Api, location: string, counting: string): DialogVisit[] => [
  {
    shows: ["claim/AssignClaimedDialog.tsx FormDialog"],
    open: async (page) => {
      await page.goto("/sensor/register?mode=type");
      await expect(page.getByRole("textbox", { name: "Registration code" })).toBeFocused();
      // Simulates a claimed sensor, which the page stores in the history entry.
      const row = { sensorType: "APS", sensorID: "02:00:00:00:00:77", claimingCode: "K7MPQ2XA" };
      const claimed = JSON.stringify([{ ...row, claimingStatus: "CLAIMED" }]);
      await page.evaluate(`history.replaceState({ ...history.state, claimed: ${claimed} }, "")`);
      await page.reload();
      return openByButton(page, "Assign to location");
    },
  },
  {
    shows: ["sales/DeleteSalesDialog.tsx ConfirmDialog"],
    open: async (page) => {
      const hour = { start: "2026-05-04T10:00:00Z", end: "2026-05-04T11:00:00Z" };
      await api.put(`/api/measurement/${location}/sales`, [
        { ...hour, transactions: 9, revenue: 120, currency: "EUR" },
      ]);
      await page.goto(`/location/${location}/sales`);
      return openByButton(page, "Delete sales", "alertdialog");
    },
  },
  {
    shows: ["location/page/AssignSensorsDialog.tsx BatchDialog"],
    open: async (page) => {
      await page.goto(`/location/${location}/general`);
      const dialog = await openByButton(page, "Assign sensors");
      await expect(dialog.getByRole("checkbox").first()).toBeVisible();
      return dialog;
    },
  },
  {
    shows: ["occupancy/link/LinkDialog.tsx ConfirmDialog"],
    open: async (page) => {
      await page.goto(`/location/${counting}/apps/occupancy/link`);
      return openByButton(page, "Revoke all links", "alertdialog");
    },
  },
  {
    shows: ["occupancy/ledger/CorrectDialog.tsx FormDialog"],
    open: async (page) => {
      await page.goto(`/location/${counting}/apps/occupancy/ledger`);
      return openByButton(page, "Correct the count");
    },
  },
];

/** Menus of lists and counts. Most of them exist only on phones. */
const ofLists = (location: string): DialogVisit[] => [
  {
    shows: ["ui/table/FilterSheet.tsx Drawer"],
    phone: true,
    open: async (page) => {
      await page.goto("/sensor");
      return openByButton(page, /^Filters/);
    },
  },
  {
    // A popover, which the sources are not searched for.
    shows: [],
    phone: true,
    open: async (page) => {
      await page.goto(`/location/${location}/counts`);
      return openByButton(page, "Dates");
    },
  },
  {
    shows: ["ui/table/DataCards.tsx MenuButton"],
    phone: true,
    open: async (page) => {
      await page.goto("/sensor");
      return openByButton(page, /^Sort/, "menu");
    },
  },
  {
    shows: ["ui/batch/BatchBar.tsx MenuButton"],
    phone: true,
    open: async (page) => {
      await page.goto("/sensor");
      await page
        .getByRole("checkbox", { name: /^Select (?!page)/ })
        .first()
        .check();
      return openByButton(page, "Actions", "menu");
    },
  },
];
