// Every dialog, drawer and menu of the console with the way to open it; the console's sources say which there are.

import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import { sensorWithIssues } from "./issues.ts";
import { connectedSensor, sectionOf, setSection } from "./simulated-sensor.ts";
import { type Api, newName, newSensorId } from "./world.ts";

const SOURCES = path.resolve(import.meta.dirname, "../console/src");
/** Parts of the component library, and the frames that the console makes of them. */
const library = ["Dialog", "Drawer", "Menu"];
const frames = [
  "FormDialog",
  "ConfirmDialog",
  "BatchDialog",
  "DeleteDialog",
  "DeleteOwned",
  "EditOwned",
  "NewOwned",
  "ConflictDialog",
  "DiscardDialog",
  "MenuButton",
];
/** Where the frames are made; they are seen inside the components that use them. */
const made =
  /^(ui\/MenuButton|ui\/(form|batch)\/(Form|Confirm|Batch|Conflict)Dialog|entity\/(DeleteOwned|EditOwned|NewOwned))\.tsx$/;

/** `sensor/NetworkReset.tsx ConfirmDialog` for each dialog that stands in the sources; a second one in a file is `… 2`. */
export async function dialogsInCode(): Promise<string[]> {
  const files = (await readdir(SOURCES, { recursive: true }))
    .map((file) => file.replaceAll(path.sep, "/"))
    .filter((file) => file.endsWith(".tsx") && !/\.test\.tsx$|^testing\//.test(file) && !made.test(file));
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(path.join(SOURCES, file), "utf8");
    const fromLibrary = library.filter((name) =>
      new RegExp(`"@mui/material/${name}"|import \\{[^}]*\\b${name}\\b[^}]*\\} from "@mui/material"`).test(text),
    );
    const names = [...text.matchAll(/<(\w+)(?=[\s>]+(?!\|))/g)].map(([, name]) => name ?? "");
    const counts = new Map<string, number>();
    return names
      .filter((name) => frames.includes(name) || fromLibrary.includes(name))
      .map((name) => {
        const n = (counts.get(name) ?? 0) + 1;
        counts.set(name, n);
        return `${file} ${name}${n === 1 ? "" : ` ${n}`}`;
      });
  });
}

/** Dialogs that have an address of their own: they are looked at as pages. */
export const dialogsWithAddress: Record<string, string> = {
  "account/form/DeleteAccountDialog.tsx DeleteDialog 2": "/myaccount/delete/$id",
  "account/form/DeleteAccountDialog.tsx DeleteDialog": "/account/delete/$id",
  "account/form/EditAccountDialog.tsx FormDialog": "/account/$id",
  "account/import/ImportAccountsDialog.tsx FormDialog": "/account/import",
  "account/form/NewAccountDialog.tsx FormDialog": "/account/new",
  "account/form/ReviewAccountDialog.tsx FormDialog": "/account/review/$id",
  "firmware/EditFirmwareDialog.tsx DeleteOwned": "/firmware/delete/$id",
  "firmware/EditFirmwareDialog.tsx EditOwned": "/firmware/$id",
  "firmware/NewFirmwareDialog.tsx FormDialog": "/firmware/new",
  "init-token/InitTokensPage.tsx DeleteOwned": "/init-token/delete/$id",
  "init-token/InitTokensPage.tsx NewOwned": "/init-token/new",
  "init-token/InitTokensPage.tsx EditOwned": "/init-token/$id",
  "location/LocationsPage.tsx DeleteOwned": "/location/delete/$id",
  "occupancy/light/LivePreview.tsx Dialog": "/location/$id/apps/occupancy/live",
  "occupancy/link/LinkDialog.tsx FormDialog": "/location/$id/apps/occupancy/link",
  "role/RoleDialogs.tsx DeleteOwned": "/role/delete/$id",
  "role/RoleDialogs.tsx EditOwned": "/role/$id",
  "role/RoleDialogs.tsx NewOwned": "/role/new",
  "sensor/list/NewSensorDialog.tsx DeleteOwned": "/sensor/delete/$id",
  "sensor/list/NewSensorDialog.tsx NewOwned": "/sensor/new",
};

/**
 * `open` answers what is to be looked at. Dialogs of the phone alone are opened at its width. `provokes`: what the browser
 * writes into its console on the way.
 */
export type DialogVisit = { shows: string[]; phone?: true; provokes?: RegExp; open: (page: Page) => Promise<Locator> };

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const pressed = async (page: Page, name: string | RegExp, role: "dialog" | "alertdialog" | "menu" = "dialog") => {
  await button(page, name).first().click();
  return page.getByRole(role).last();
};

/** The form of a ZOD with an entry that is not saved; answers the sensor's id. */
async function smoothed(page: Page, api: Api): Promise<string> {
  const id = await connectedSensor(api, "ZOD");
  await page.goto(`/sensor/zod/${id}/measurement`);
  await page.getByRole("textbox", { name: "Smoothing (s)" }).fill("20");
  return id;
}

/** `location` is one that may be edited, `counting` one with the occupancy app. */
export function dialogVisits(api: Api, location: string, counting: string): DialogVisit[] {
  const chosen = async (page: Page, list: string, action: string) => {
    await page.goto(list);
    await page
      .getByRole("checkbox", { name: /^Select (?!page)/ })
      .first()
      .check();
    await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: action, exact: true }).click();
    return page.getByRole("dialog");
  };
  return [
    {
      shows: ["app/AppsPanel.tsx Drawer"],
      open: async (page) => {
        await page.goto("/privacy");
        return pressed(page, "Apps");
      },
    },
    {
      shows: ["app/AccountMenuPanel.tsx Menu"],
      open: async (page) => {
        await page.goto("/privacy");
        return pressed(page, "Account menu", "menu");
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
        return pressed(page, "Add account", "menu");
      },
    },
    {
      shows: ["account/own/OwnSessions.tsx ConfirmDialog"],
      open: async (page) => {
        await page.goto("/myaccount");
        return pressed(page, "Log out all other devices", "alertdialog");
      },
    },
    {
      shows: ["account/own/FeedAddress.tsx ConfirmDialog"],
      open: async (page) => {
        await page.goto("/myaccount");
        const create = button(page, "Create address");
        await expect(create.or(button(page, "Revoke address"))).toBeVisible();
        if (await create.isVisible()) await create.click();
        return pressed(page, "Revoke address", "alertdialog");
      },
    },
    {
      shows: ["account/list/AccountBatchDialogs.tsx BatchDialog"],
      open: (page) => chosen(page, "/account?viewType=list", "Set role"),
    },
    {
      shows: ["account/list/AccountBatchDialogs.tsx BatchDialog 2"],
      open: (page) => chosen(page, "/account?viewType=list", "Delete"),
    },
    { shows: ["entity/batch/owned-batch.tsx BatchDialog"], open: (page) => chosen(page, "/role", "Set owner") },
    {
      shows: ["entity/batch/owned-batch.tsx BatchDialog 2"],
      open: (page) => chosen(page, "/role", "Delete"),
    },
    {
      shows: ["sensor/batch/SensorBatchDialogs.tsx BatchDialog"],
      open: (page) => chosen(page, "/sensor", "Set location"),
    },
    { shows: ["sensor/batch/SensorBatchDialogs.tsx BatchDialog 2"], open: (page) => chosen(page, "/sensor", "Delete") },
    {
      shows: ["rollout/RolloutActions.tsx BatchDialog"],
      open: async (page) => {
        // One that never connected waits for good.
        const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
        const [firmware] = await api.get<{ _id: string }[]>("/api/artifact?sensorType=APS&limit=1");
        const _id = newSensorId();
        await api.post("/api/sensor", { _id, type: "APS", owner });
        await api.put(`/api/sensor/${_id}`, { artifact: firmware?._id });
        await page.goto(`/firmware/${firmware?._id}/rollout`);
        return pressed(page, "Cancel waiting");
      },
    },
    {
      shows: ["location/batch/LocationBatch.tsx BatchDialog"],
      open: (page) => chosen(page, "/location", "Set owner"),
    },
    {
      shows: ["location/batch/LocationBatch.tsx BatchDialog 2"],
      open: (page) => chosen(page, "/location", "Set address"),
    },
    {
      shows: ["location/batch/LocationBatch.tsx BatchDialog 3"],
      open: (page) => chosen(page, "/location", "Delete"),
    },
    {
      shows: ["claim/AssignClaimedDialog.tsx FormDialog"],
      open: async (page) => {
        await page.goto("/sensor/register?mode=type");
        await expect(page.getByRole("textbox", { name: "Registration code" })).toBeFocused();
        // As after a claim: the visit is kept with its place in the history.
        const row = { sensorType: "APS", sensorID: "02:00:00:00:00:77", claimingCode: "K7MPQ2XA" };
        const claimed = JSON.stringify([{ ...row, claimingStatus: "CLAIMED" }]);
        await page.evaluate(`history.replaceState({ ...history.state, claimed: ${claimed} }, "")`);
        await page.reload();
        return pressed(page, "Assign to location");
      },
    },
    {
      shows: ["location/page/AssignSensorsDialog.tsx BatchDialog"],
      open: async (page) => {
        await page.goto(`/location/${location}/general`);
        const dialog = await pressed(page, "Assign sensors");
        await expect(dialog.getByRole("checkbox").first()).toBeVisible();
        return dialog;
      },
    },
    {
      shows: ["occupancy/link/LinkDialog.tsx ConfirmDialog"],
      open: async (page) => {
        await page.goto(`/location/${counting}/apps/occupancy/link`);
        return pressed(page, "Revoke all links", "alertdialog");
      },
    },
    {
      shows: ["occupancy/ledger/CorrectDialog.tsx FormDialog"],
      open: async (page) => {
        await page.goto(`/location/${counting}/apps/occupancy/ledger`);
        return pressed(page, "Correct the count");
      },
    },
    {
      shows: ["monitoring/logs/IssueBatch.tsx BatchDialog"],
      open: async (page) => {
        const { measurement } = await sensorWithIssues(api);
        return chosen(page, `/location/${measurement._id}/issues`, "Set acknowledged");
      },
    },
    {
      shows: ["monitoring/detail/IssueDialog.tsx Dialog"],
      open: async (page) => {
        const { sens, measurement, issues } = await sensorWithIssues(api);
        await page.goto(`/location/${measurement._id}/issues?sensorIDs=${sens}&issue=${issues[0]?._id}`);
        return page.getByRole("dialog", { name: new RegExp(sens) });
      },
    },
    {
      shows: ["sensor/form/RegistrationQr.tsx Dialog"],
      open: async (page) => {
        await page.goto(`/sensor/aps/${await connectedSensor(api, "APS")}/general`);
        return pressed(page, "Show QR code");
      },
    },
    {
      shows: ["sensor/remote/RemoteFunctions.tsx ConfirmDialog"],
      open: async (page) => {
        await page.goto(`/sensor/aps/${await connectedSensor(api, "APS")}/general`);
        const reset = button(page, "Reset network configuration");
        await expect(reset).not.toHaveAttribute("aria-disabled", "true", { timeout: 30_000 });
        await reset.click();
        return page.getByRole("alertdialog");
      },
    },
    {
      shows: ["section/SectionForm.tsx DiscardDialog"],
      open: async (page) => {
        await smoothed(page, api);
        await page.getByRole("link", { name: "General" }).click();
        return page.getByRole("alertdialog");
      },
    },
    {
      shows: ["section/useSectionSaving.tsx ConfirmDialog"],
      open: async (page) => {
        const id = await smoothed(page, api);
        await setSection(api, id, "measurement", await sectionOf(api, id, "measurement"));
        return pressed(page, "Save", "alertdialog");
      },
    },
    {
      shows: ["section/useQuestions.tsx ConfirmDialog"],
      open: async (page) => {
        await page.goto(`/sensor/psc1/${await connectedSensor(api, "PS.C1")}/security`);
        await page.getByRole("switch", { name: "Remote access (PS.Connect)" }).click();
        return pressed(page, "Save", "alertdialog");
      },
    },
    {
      shows: ["section/SectionNotices.tsx ConfirmDialog"],
      open: async (page) => {
        const id = await connectedSensor(api, "ZOD");
        const { rev, values } = await sectionOf(api, id, "camera");
        const mainsHz = values["mainsHz"] === 50 ? 60 : 50;
        await setSection(api, id, "camera", { rev, values: { ...values, mainsHz } });
        await page.goto(`/sensor/zod/${id}/camera`);
        return pressed(page, "Restart sensor", "alertdialog");
      },
    },
    {
      shows: ["sensor/firmware/RestCredentials.tsx ConfirmDialog"],
      open: async (page) => {
        const credentials = [{ feature: "restapi", username: "installer", password: "violet-harbour-lantern" }];
        const aps = await connectedSensor(api, "APS");
        await api.put(`/api/sensor/${aps}`, { sensorFeatureCredentials: credentials });
        await page.goto(`/sensor/aps/${aps}/firmware`);
        return pressed(page, "Clear credentials", "alertdialog");
      },
    },
    {
      shows: ["address/leave-guard.tsx DiscardDialog"],
      open: async (page) => {
        await page.goto(`/location/${location}/general`);
        await page.getByRole("textbox", { name: "Name", exact: true }).fill(newName("Unsaved"));
        await page.getByRole("link", { name: "Imprint" }).click();
        return page.getByRole("alertdialog");
      },
    },
    {
      // One dialog for all forms; only what it calls the object differs.
      shows: ["account/form/EditAccountDialog.tsx ConflictDialog", "entity/page-form.tsx ConflictDialog"],
      provokes: /status of 412/,
      open: async (page) => {
        // The page is not notified of the change: only the server knows that there was one.
        await page.routeWebSocket("**/live*", () => undefined);
        await page.goto(`/location/${location}/general`);
        await page.getByRole("textbox", { name: "Name", exact: true }).fill(newName("Mine"));
        await api.put(`/api/measurement/${location}`, { tags: [newName("theirs")] });
        await button(page, "Save").click();
        return page.getByRole("alertdialog");
      },
    },
    {
      shows: ["auth/SessionEndedDialog.tsx Dialog"],
      provokes: /status of 401/,
      open: async (page) => {
        await page.goto(`/location/${location}/general`);
        await page.getByRole("textbox", { name: "Name", exact: true }).fill(newName("Mine"));
        // Refused is the save alone: what the page asks by itself would open the login over the button first.
        await page.route("**/api/measurement/*", (route) =>
          route.request().method() === "PUT"
            ? route.fulfill({ status: 401, json: { error: "Unauthorized access.", code: 106, requestId: "r-1" } })
            : route.continue(),
        );
        await button(page, "Save").click();
        return page.getByRole("dialog", { name: "Log in again" });
      },
    },
    {
      shows: ["address/StandIns.tsx Dialog"],
      provokes: /ERR_FAILED|ChunkError: Loading chunk NewRoleDialog failed/,
      open: async (page) => {
        await page.route(/\/assets\/RoleDialogs-/, (route) => route.abort());
        await page.goto("/role/new");
        return page.getByRole("dialog");
      },
    },
    {
      shows: ["ui/feedback/LazyDialog.tsx Dialog"],
      provokes: /ERR_FAILED/,
      open: async (page) => {
        await page.route(/\/assets\/ShortcutsDialog-/, (route) => route.abort());
        await page.goto("/privacy");
        await expect(button(page, "Account menu")).toBeVisible();
        await page.keyboard.press("?");
        return page.getByRole("dialog");
      },
    },
    {
      shows: ["ui/table/FilterSheet.tsx Drawer"],
      phone: true,
      open: async (page) => {
        await page.goto("/sensor");
        return pressed(page, /^Filters/);
      },
    },
    {
      shows: ["counts/RangeControls.tsx MenuButton"],
      open: async (page) => {
        await page.goto(`/location/${location}/counts`);
        return pressed(page, "More", "menu");
      },
    },
    {
      shows: ["ui/table/DataCards.tsx MenuButton"],
      phone: true,
      open: async (page) => {
        await page.goto("/sensor");
        return pressed(page, /^Sort/, "menu");
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
        return pressed(page, "Actions", "menu");
      },
    },
  ];
}
