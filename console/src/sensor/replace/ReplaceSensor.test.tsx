// Tests the dialog that replaces a sensor, its undo, and the links between both sensors, with stubbed responses.
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { openConsole } from "../../testing/console.tsx";
import { listResponse } from "../../testing/objects.ts";
import {
  allPermissions,
  createServerStub,
  ids,
  sampleLocationRef,
  sensorApiPath,
  sensorWith,
  viewOnlyPermissions,
} from "../sensor.testing.ts";

const general = `/sensor/aps/${ids.sensor}/general`;
const newId = "02:00:00:00:7A:02";
const old = sensorWith({ measurement: sampleLocationRef, groups: ["hall"] });
const plan = {
  sensor: { _id: newId, type: "APS" },
  location: { _id: sampleLocationRef._id, name: sampleLocationRef.name },
  takenOver: ["location", "groups"],
  lost: [] as { key: string; reason: string; mustAccept: boolean }[],
  handsOver: false,
};
const lost = [{ key: "license", reason: "The new sensor has no monitoring license.", mustAccept: true }];
const done = {
  replacement: "00000000-0000-7000-8000-000000000001",
  sensorID: newId,
  replacedSensorID: ids.sensor,
  lost: [],
};
const stub = (more: Parameters<typeof createServerStub>[2], permissions = allPermissions) =>
  createServerStub(old, permissions, {
    "GET /api/v2/sensor": listResponse([sensorWith({ _id: newId })]),
    [`POST ${sensorApiPath}/replace/check`]: { status: 200, body: plan },
    ...more,
  });
const replace = () => page.getByRole("button", { name: "Replace sensor" });
const dialog = () => page.getByRole("dialog", { name: /^Replace sensor/ });
const submit = () => dialog().getByRole("button", { name: "Replace", exact: true });

async function chooseSpare(): Promise<void> {
  await replace().click();
  await dialog().getByRole("button", { name: "Choose" }).click();
  await dialog().getByRole("combobox", { name: "New sensor" }).click();
  await page.getByRole("option", { name: new RegExp(newId) }).click();
}

test("a chosen sensor replaces the old one in one step, and the message offers undo", async () => {
  const sent: unknown[] = [];
  await openConsole(
    general,
    stub({
      [`POST ${sensorApiPath}/replace`]: (body) => {
        sent.push(body);
        return { status: 200, body: done };
      },
      [`POST ${sensorApiPath}/replace/undo`]: (body) => {
        sent.push(body);
        return { status: 200, body: { sensorID: newId, replacedSensorID: ids.sensor } };
      },
    }),
  );
  await chooseSpare();
  await expect.element(dialog().getByText("The new sensor takes over")).toBeVisible();
  await expect.element(dialog()).toMatchTextContent(/Groups hall/);
  await submit().click();
  await expect.element(page.getByText(`Replaced ${ids.sensor}`)).toBeVisible();
  await expect.element(page.getByRole("link", { name: newId })).toHaveAttribute("href", `/sensor/${newId}`);
  await expect.element(dialog()).not.toBeInTheDocument();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.element(page.getByText("Replacement undone")).toBeVisible();
  expect(sent).toEqual([{ sensorID: newId, accept: [] }, { replacement: done.replacement }]);
});

test("what is lost must be confirmed, also if it turns up while replacing", async () => {
  const sent: unknown[] = [];
  const settings = { key: "settings", reason: "The settings on the old sensor are not copied.", mustAccept: true };
  await openConsole(
    general,
    stub({
      [`POST ${sensorApiPath}/replace/check`]: { status: 200, body: { ...plan, lost } },
      [`POST ${sensorApiPath}/replace`]: (body) => {
        sent.push(body);
        if (sent.length > 1) return { status: 200, body: done };
        const error = "An invalid argument was given.";
        return { status: 409, body: { code: 102, error, requestId: "r1", details: { lost: [settings] } } };
      },
    }),
  );
  await chooseSpare();
  await expect.element(dialog().getByText("The new sensor has no monitoring license.")).toBeVisible();
  await expect.element(submit()).toHaveAttribute("aria-disabled", "true");
  await dialog().getByRole("checkbox", { name: "Replace anyway" }).click();
  await submit().click();
  await expect.element(dialog().getByText(settings.reason)).toBeVisible();
  await expect.element(submit()).toHaveAttribute("aria-disabled", "true");
  await dialog().getByRole("checkbox", { name: "Replace anyway" }).click();
  await submit().click();
  await expect.element(page.getByText(`Replaced ${ids.sensor}`)).toBeVisible();
  expect(sent).toEqual([
    { sensorID: newId, accept: ["license"] },
    { sensorID: newId, accept: ["license", "settings"] },
  ]);
});

test("what always stays on a device is shown and needs no confirmation", async () => {
  const reported = lost.map((one) => ({ ...one, mustAccept: false }));
  await openConsole(
    general,
    stub({
      [`POST ${sensorApiPath}/replace/check`]: { status: 200, body: { ...plan, lost: reported } },
      [`POST ${sensorApiPath}/replace`]: { status: 200, body: { ...done, lost: reported } },
    }),
  );
  await chooseSpare();
  await expect.element(dialog().getByText("The new sensor has no monitoring license.")).toBeVisible();
  await expect.element(dialog().getByRole("checkbox")).not.toBeInTheDocument();
  await submit().click();
  await expect.element(page.getByText(`Replaced ${ids.sensor}`)).toBeVisible();
});

test("an unknown typed code is refused; a valid one is claimed with the replacement", async () => {
  const sent: unknown[] = [];
  await openConsole(
    general,
    stub({
      [`POST ${sensorApiPath}/replace/check`]: (body) => {
        sent.push(body);
        if (sent.length > 1) return { status: 200, body: { ...plan, handsOver: true } };
        return { status: 404, body: { code: 105, error: "Not found.", details: { field: "claimingCode" } } };
      },
    }),
  );
  await replace().click();
  await dialog().getByRole("button", { name: "Type" }).click();
  const field = dialog().getByRole("textbox", { name: "Registration code" });
  await userEvent.type(field, "WRNG2345");
  await expect
    .element(
      dialog()
        .getByText(/^No sensor can be registered with this code\./)
        .first(),
    )
    .toBeVisible();
  await userEvent.fill(field, "");
  await userEvent.type(field, "k7mpq2xa");
  await expect.element(dialog().getByText("It will be registered to your account first.")).toBeVisible();
  await expect.element(dialog().getByText(/^It will be handed over to /)).toBeVisible();
  expect(sent).toEqual([{ claimingCode: "WRNG2345" }, { claimingCode: "K7MPQ2XA" }]);
  await dialog().getByRole("button", { name: "Back" }).click();
  await expect.element(dialog().getByRole("button", { name: "Type" })).toBeVisible();
});

test("the header links both sensors; without a location or the right to edit there is no button", async () => {
  const facts = {
    replacedBy: { _id: newId, isDeleted: false },
    replaces: { _id: "02:00:00:00:7A:03", isDeleted: true },
  };
  await openConsole(general, createServerStub(sensorWith({ measurement: null, ...facts }), allPermissions));
  await expect.element(page.getByRole("link", { name: newId })).toHaveAttribute("href", `/sensor/${newId}`);
  await expect.element(page.getByText("Replaces", { exact: true })).toBeVisible();
  await expect.element(page.getByRole("link", { name: "02:00:00:00:7A:03" })).not.toBeInTheDocument();
  await expect.element(replace()).not.toBeInTheDocument();
});

test("without the right to edit the sensor there is no button", async () => {
  await openConsole(general, stub({}, viewOnlyPermissions));
  await expect.element(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect.element(page.getByText("You can view but not change this sensor.")).toBeVisible();
  await expect.element(replace()).not.toBeInTheDocument();
});
