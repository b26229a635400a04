// Tests the settings sections of a ZOD and a PS.C1 with simulated sensors (SE-06, SE-07).
import type { Page } from "@playwright/test";
import { readSection, setSection, startSensor } from "./simulated-sensor.ts";
import { expectMessage } from "./messages.ts";
import { expect, test } from "./world.ts";

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const saved = (page: Page) => expectMessage(page, "Saved");

test(
  "SE-06 configuring a ZOD covers validation, conflicts, restart and offline values",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, simulate }) => {
    const api = await apiAs("customer");
    const { id, end } = await startSensor(api, simulate, "ZOD");
    await signIn(page, "customer");
    await page.goto(`/sensor/zod/${id}/measurement`);
    const smoothing = page.getByRole("textbox", { name: "Smoothing (s)" });
    await expect(smoothing).toHaveValue("10");
    await smoothing.fill("121");
    await save(page);
    const sentence = "Smoothing (s) must be a whole number between 0 and 120.";
    await expect(page.getByRole("alert").getByRole("link", { name: sentence })).toBeVisible();
    await expect(smoothing).toHaveAttribute("aria-invalid", "true");
    await smoothing.fill("20");
    await save(page);
    await saved(page);
    expect((await readSection(api, id, "measurement")).values).toMatchObject({ smoothingS: 20 });

    await smoothing.fill("30");
    const { rev, values } = await readSection(api, id, "measurement");
    await setSection(api, id, "measurement", { rev, values: { ...values, smoothingS: 5 } });
    await save(page);
    await expect(page.getByText("The configuration was changed meanwhile.")).toBeVisible();
    await page.getByRole("button", { name: "Overwrite" }).click();
    await saved(page);
    expect((await readSection(api, id, "measurement")).values).toMatchObject({ smoothingS: 30 });

    await page.goto(`/sensor/zod/${id}/camera`);
    await page.getByRole("combobox", { name: "Mains frequency" }).click();
    await page.getByRole("option", { name: "50 Hz" }).click();
    await save(page);
    await expect(page.getByText("Takes effect after a restart.")).toBeVisible();
    await page.getByRole("button", { name: "Restart sensor" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Restart" }).click();
    // While the sensor restarts, the page shows the stored values. It reloads them when the sensor is back.
    await expect(page.getByText(/^The sensor is offline\. Values of \d\d\.\d\d\.\d{4} \d\d:\d\d\.$/)).toBeVisible({
      timeout: 30_000,
    });
    await expect(page.getByText("The sensor is offline.", { exact: false })).toBeHidden();
    await expect(page.getByText("Takes effect after a restart.")).toBeHidden();

    end();
    await expect(page.getByText("The sensor is offline.", { exact: false })).toBeVisible();
    await expect(page.getByRole("button", { name: "Save", exact: true })).toHaveAttribute("aria-disabled", "true");
    await expect(page.getByRole("combobox", { name: "Mains frequency" })).toHaveText("50 Hz");
  },
);

test("SE-07 configuring a PS.C1: a line is drawn by keyboard, and a network change confirmed", async ({
  page,
  apiAs,
  signIn,
  simulate,
}) => {
  const api = await apiAs("customer");
  const { id } = await startSensor(api, simulate, "PS.C1");
  await signIn(page, "customer");
  await page.goto(`/sensor/psc1/${id}/applications`);
  const point = page.getByRole("button", { name: /^Line .*, point 2, / });
  await point.focus();
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("ArrowUp");
  await save(page);
  await saved(page);
  const { lines } = (await readSection(api, id, "applications")).values as { lines: { points: { y: number }[] }[] };
  expect(lines[0]?.points[1]?.y).toBe(44.5);

  await page.goto(`/sensor/psc1/${id}/network`);
  await page.getByRole("textbox", { name: "Host name" }).fill("psc1-front-door");
  await save(page);
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("If the sensor does not come back within 60 s");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText(/^Applying, \d+ s left$/)).toBeVisible();
  await expect(page.getByText("New settings confirmed.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Host name" })).toHaveValue("psc1-front-door");

  await page.goto(`/sensor/psc1/${id}/preview-cameras`);
  await expect(page.getByRole("img", { name: /^Camera / })).toBeVisible();
});

test(
  "SE-06 who may only look at a ZOD sees its pages and changes nothing",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, simulate }) => {
    const { id } = await startSensor(await apiAs("customer"), simulate, "ZOD");
    await signIn(page, "readonly");
    await page.goto(`/sensor/zod/${id}/group`);
    await expect(page.getByText("You can view but not change this sensor.")).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Vehicle ID" })).toHaveAttribute("readonly", "");
    await expect(page.getByRole("button", { name: "Save", exact: true })).toHaveCount(0);
    await page.goto(`/sensor/zod/${id}/preview-occupancy`);
    await expect(page.getByRole("meter", { name: "Coach" })).toBeVisible();
  },
);
