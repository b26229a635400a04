// Tests creating a sensor manually, with stubbed responses (SH-10).
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { openConsole } from "../../testing/console.tsx";
import { waitForAppearance } from "../../testing/shown.ts";
import { allPermissions, ids, viewOnlyPermissions, sensorWith, createServerStub } from "../sensor.testing.ts";

test("SH-10 a new sensor has its page: id in any spelling, type and owner are sent", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  const post = (body: unknown) => (sent.push(body), { status: 200, body: sensorWith({ _id: "02:00:00:00:7A:02" }) });
  const { address } = await openConsole(
    "/sensor/new",
    createServerStub(sensorWith(), allPermissions, { "POST /api/sensor": post }),
  );
  const dialog = page.getByRole("dialog", { name: "New Sensor" });
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect.element(dialog.getByText("Enter 12 digits and letters A to F")).toBeVisible();
  await expect.element(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue("Harbour Stores");
  await dialog.getByLabelText("Sensor ID").fill("0200.0000.7a02");
  await dialog.getByRole("combobox", { name: "Owner" }).fill("Harbour B");
  await page.getByRole("option", { name: /Harbour Branch/ }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect.poll(address).toBe("/sensor");
  await expect
    .element(page.getByRole("button", { name: "Open", exact: true }).filter({ hasText: "Open" }))
    .toBeVisible();
  expect(sent).toEqual([{ _id: "02:00:00:00:7A:02", type: "APS", owner: ids.child }]);
});

test("SH-10 anyone who may make sensors for no one is informed, and led back to the list", async () => {
  const { address } = await openConsole("/sensor/new", createServerStub(sensorWith(), viewOnlyPermissions));
  await expect
    .element(page.getByText("You can not create a sensor because there is no account you can create it for."))
    .toBeVisible();
  await expect.poll(address).toBe("/sensor");
});

test("SH-10 a link in the form, and Back, ask before what was typed is thrown away", { tags: "prove" }, async () => {
  const { address, back } = await openConsole("/sensor/new", createServerStub(sensorWith(), allPermissions));
  const dialog = page.getByRole("dialog", { name: "New Sensor" });
  const question = page.getByRole("alertdialog", { name: "Discard changes?" });
  await dialog.getByLabelText("Sensor ID").fill("0200.0000.7a02");
  await dialog.getByRole("link", { name: "Register with a code instead" }).click();
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect.element(question).not.toBeInTheDocument();
  await expect.poll(address).toBe("/sensor/new");
  await expect.element(dialog.getByLabelText("Sensor ID")).toHaveValue("0200.0000.7a02");
  await dialog.getByRole("link", { name: "Register with a code instead" }).click();
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect.element(page.getByRole("heading", { level: 1, name: "Register Sensor" })).toBeVisible();
  back();
  await expect.poll(address).toBe("/sensor/new");
  await expect.element(dialog.getByLabelText("Sensor ID")).toHaveValue("");
  await dialog.getByRole("link", { name: "Register with a code instead" }).click();
  await expect.poll(address).toContain("/sensor/register");
});

test(
  "SH-10 a new sensor that its maker may not view is made, and no way to it is offered",
  { tags: "prove" },
  async () => {
    const post = { status: 200, body: { _id: "02:00:00:00:7A:02" } };
    const { address } = await openConsole(
      "/sensor/new",
      createServerStub(sensorWith(), allPermissions, { "POST /api/sensor": post }),
    );
    const dialog = page.getByRole("dialog", { name: "New Sensor" });
    await dialog.getByLabelText("Sensor ID").fill("0200.0000.7a02");
    await dialog.getByRole("combobox", { name: "Owner" }).fill("Harbour B");
    await page.getByRole("option", { name: /Harbour Branch/ }).click();
    const created = waitForAppearance(page.getByText("Created sensor 02:00:00:00:7A:02"));
    await dialog.getByRole("button", { name: "Create" }).click();
    await created;
    await expect.poll(address).toBe("/sensor");
    expect(page.getByRole("button", { name: "Open", exact: true }).filter({ hasText: "Open" }).elements()).toEqual([]);
  },
);
