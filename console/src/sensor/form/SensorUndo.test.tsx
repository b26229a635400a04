// Tests undoing changes of owner, location and re-registration, with a stateful server stub.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainLocation } from "../../testing/objects.ts";
import { waitForAppearance } from "../../testing/shown.ts";
import {
  childAccount,
  allPermissions,
  ids,
  ownAccount,
  sensorApiPath,
  sensorWith,
  createServerStub,
  sampleLocation,
} from "../sensor.testing.ts";

const refOf = ({ _id, name }: { _id: string; name: string }) => ({ _id, name, isDeleted: false });
const otherPlace = plainLocation({ _id: ids.otherPlace, name: "Back door", owner: refOf(ownAccount) });
const places = [sampleLocation, otherPlace];
const placed = { ...refOf(sampleLocation), location: { timezone: "Asia/Kathmandu" } };

type Change = { owner?: string; measID?: string | null; claimable?: boolean };

/** Changing the owner clears location and re-registration, as on the server. */
function changed(sensor: Sensor, { owner, measID, claimable }: Change): Sensor {
  const lost = owner === undefined ? {} : { measurement: null, claimable: false };
  const found = places.find(({ _id }) => _id === measID);
  const measurement = found === undefined ? null : { ...refOf(found), location: { timezone: null } };
  return {
    ...sensor,
    ...lost,
    ...(owner === undefined ? {} : { owner: refOf(owner === childAccount._id ? childAccount : ownAccount) }),
    ...(measID === undefined ? {} : { measurement }),
    ...(claimable === undefined ? {} : { claimable }),
    version: sensor.version + 1,
  };
}

async function open(facts: Partial<Sensor>, more: StubbedResponses = {}) {
  const sent: unknown[] = [];
  let sensor = sensorWith(facts);
  await openConsole(
    `/sensor/aps/${ids.sensor}/general`,
    createServerStub(sensor, allPermissions, {
      "GET /api/v2/measurement": listResponse(places),
      [`GET /api/measurement/${ids.place}`]: { status: 200, body: sampleLocation },
      [`GET /api/measurement/${ids.otherPlace}`]: { status: 200, body: otherPlace },
      "GET /api/v2/sensor": () => listResponse([sensor]),
      [`GET ${sensorApiPath}`]: () => ({ status: 200, body: sensor }),
      [`PUT ${sensorApiPath}`]: (body): StubbedResponse => {
        sent.push(body);
        sensor = changed(sensor, body as Change);
        return { status: 200, body: sensor };
      },
      ...more,
    }),
  );
  await expect.element(page.getByLabelText("Groups")).toBeVisible();
  return sent;
}

const box = (name: string) => page.getByRole("combobox", { name, exact: true });
const reRegistration = () => page.getByRole("switch", { name: "Re-registration" });

async function choose(field: string, option: RegExp) {
  await box(field).click();
  await page.getByRole("option", { name: option }).click();
}
const save = () => page.getByRole("region", { name: "Unsaved changes" }).getByRole("button", { name: "Save" }).click();

async function undo(title: string) {
  const message = page.getByRole("status").filter({ hasText: title });
  await message.getByRole("button", { name: "Undo" }).click();
}

test("SE-08 undoing a hand-over restores location and re-registration, and says what is lost", async () => {
  const sent = await open({ measurement: placed, claimable: true });
  await choose("Owner", /Harbour Branch/);
  await save();
  await expect.element(box("Location")).toHaveValue("");
  await expect.element(reRegistration()).not.toBeChecked();
  const undone = waitForAppearance(
    page.getByText("Change undone. Cleared settings, and a location that you can't view, are not restored."),
  );
  await undo("Owner changed");
  await undone;
  expect(sent).toEqual([{ owner: ids.child }, { owner: ids.self, measID: ids.place, claimable: true }]);
  await expect.element(box("Owner")).toHaveValue("Harbour Stores");
  await expect.element(box("Location")).toHaveValue("Main entrance");
  await expect.element(reRegistration()).toBeChecked();
});

test("SE-08 a hand-over of a sensor that had neither gives neither", { tags: "prove" }, async () => {
  const sent = await open({});
  await choose("Owner", /Harbour Branch/);
  await save();
  await undo("Owner changed");
  await expect.element(box("Owner")).toHaveValue("Harbour Stores");
  expect(sent).toEqual([{ owner: ids.child }, { owner: ids.self }]);
});

test("SE-08 a change of location is taken back: to the former one, and to none", { tags: "prove" }, async () => {
  const sent = await open({ measurement: placed });
  await choose("Location", /Back door/);
  await save();
  await undo("Location changed");
  await expect.element(box("Location")).toHaveValue("Main entrance");
  await box("Location").clear();
  await save();
  await undo("Location changed");
  await expect.element(box("Location")).toHaveValue("Main entrance");
  expect(sent).toEqual([{ measID: ids.otherPlace }, { measID: ids.place }, { measID: null }, { measID: ids.place }]);
});

test("SE-08 a re-registration that was switched on is switched off again", async () => {
  const sent = await open({});
  await reRegistration().click();
  await save();
  const undone = waitForAppearance(page.getByText("Change undone", { exact: true }));
  await undo("Re-registration changed");
  await undone;
  await expect.element(reRegistration()).not.toBeChecked();
  expect(sent).toEqual([{ claimable: true }, { claimable: false }]);
});

test("SE-08 an Undo that is refused says why, and shows what is there now", async () => {
  let tries = 0;
  const put = (): StubbedResponse => {
    tries += 1;
    if (tries === 1) return { status: 200, body: { ...sensorWith({ claimable: true }), version: 5 } };
    return { status: 412, body: { code: 102, error: "An invalid argument was given.", details: { version: 6 } } };
  };
  const now = sensorWith({ claimable: true, groups: ["theirs"], version: 6 });
  const get = () => ({ status: 200, body: tries < 2 ? sensorWith() : now });
  await open({}, { [`PUT ${sensorApiPath}`]: put, [`GET ${sensorApiPath}`]: get });
  await reRegistration().click();
  await save();
  await undo("Re-registration changed");
  const refused = page.getByRole("alert").filter({ hasText: "The change could not be undone." });
  await expect.element(refused.getByText("This sensor was changed again in the meantime.")).toBeVisible();
  await expect.element(page.getByText("theirs", { exact: true })).toBeVisible();
  await expect.element(reRegistration()).toBeChecked();
});
