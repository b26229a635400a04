// Opens the dialogs of sensor pages.

import { expect, type Page } from "@playwright/test";
import { button, type DialogVisit, openByButton } from "./dialog-visit.ts";
import { findConnectedSensor, readSection, setSection } from "./simulated-sensor.ts";
import { type Api, newSensorId } from "./world.ts";

/** Opens a ZOD form and changes a field. Returns the sensor's id. */
async function smoothed(page: Page, api: Api): Promise<string> {
  const id = await findConnectedSensor(api, "ZOD");
  await page.goto(`/sensor/zod/${id}/measurement`);
  await page.getByRole("textbox", { name: "Smoothing (s)" }).fill("20");
  return id;
}

/** A sensor at a location, and one of another type without a location. */
async function placeSensor(api: Api): Promise<{ old: string; spare: string }> {
  const owner = (await api.get<{ _id: string }>("/api/auth/user"))._id;
  const [old, spare] = [newSensorId(), newSensorId()];
  const { _id: measID } = await api.post<{ _id: string }>("/api/measurement", { name: "Rear entrance", owner });
  await api.post("/api/sensor", { _id: old, type: "APS", owner });
  await api.post("/api/sensor", { _id: spare, type: "PS.C1", owner });
  await api.put(`/api/sensor/${old}`, { measID, groups: ["entrance"] });
  return { old, spare };
}

export const sensorDialogs = (api: Api): DialogVisit[] => [
  {
    shows: ["sensor/form/RegistrationQr.tsx Dialog"],
    open: async (page) => {
      await page.goto(`/sensor/aps/${await findConnectedSensor(api, "APS")}/general`);
      return openByButton(page, "Show QR code");
    },
  },
  {
    shows: ["sensor/remote/RemoteFunctions.tsx ConfirmDialog"],
    open: async (page) => {
      await page.goto(`/sensor/aps/${await findConnectedSensor(api, "APS")}/general`);
      const reset = button(page, "Reset network configuration");
      await expect(reset).not.toHaveAttribute("aria-disabled", "true");
      await reset.click();
      return page.getByRole("alertdialog");
    },
  },
  {
    shows: ["sensor/replace/ChooseNewSensor.tsx Dialog"],
    open: async (page) => {
      await page.goto(`/sensor/${(await placeSensor(api)).old}/general`);
      return openByButton(page, "Replace sensor");
    },
  },
  {
    shows: ["sensor/replace/ReplaceDialog.tsx FormDialog"],
    open: async (page) => {
      const { old, spare } = await placeSensor(api);
      await page.goto(`/sensor/${old}/general`);
      const dialog = await openByButton(page, "Replace sensor");
      await dialog.getByRole("button", { name: "Choose" }).click();
      await dialog.getByRole("combobox", { name: "New sensor" }).fill(spare);
      await page.getByRole("option", { name: new RegExp(spare) }).click();
      await expect(dialog.getByText("The new sensor takes over")).toBeVisible();
      return dialog;
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
      await setSection(api, id, "measurement", await readSection(api, id, "measurement"));
      return openByButton(page, "Save", "alertdialog");
    },
  },
  {
    shows: ["section/useConfirmations.tsx ConfirmDialog"],
    open: async (page) => {
      await page.goto(`/sensor/psc1/${await findConnectedSensor(api, "PS.C1")}/security`);
      await page.getByRole("switch", { name: "Remote access (PS.Connect)" }).click();
      return openByButton(page, "Save", "alertdialog");
    },
  },
  {
    shows: ["section/SectionNotices.tsx ConfirmDialog"],
    open: async (page) => {
      const id = await findConnectedSensor(api, "ZOD");
      const { rev, values } = await readSection(api, id, "camera");
      const mainsHz = values["mainsHz"] === 50 ? 60 : 50;
      await setSection(api, id, "camera", { rev, values: { ...values, mainsHz } });
      await page.goto(`/sensor/zod/${id}/camera`);
      return openByButton(page, "Restart sensor", "alertdialog");
    },
  },
  {
    shows: ["sensor/firmware/RestCredentials.tsx ConfirmDialog"],
    open: async (page) => {
      const credentials = [{ feature: "restapi", username: "installer", password: "violet-harbour-lantern" }];
      const aps = await findConnectedSensor(api, "APS");
      await api.put(`/api/sensor/${aps}`, { sensorFeatureCredentials: credentials });
      await page.goto(`/sensor/aps/${aps}/firmware`);
      return openByButton(page, "Clear credentials", "alertdialog");
    },
  },
];
