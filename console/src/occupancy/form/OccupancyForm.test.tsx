// Tests the applications page and the occupancy form with stubbed responses.
import { occupancyDefaults } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { openSelect } from "../../testing/select.ts";
import { visibleDuration } from "../../testing/shown.ts";
import { testTimerOptions, advanceTime } from "../../testing/time.ts";
import {
  aps,
  camera,
  enabledApplications,
  numberedId,
  openAppPage,
  secondAps,
  shopWith,
  viewPermissions,
} from "../occupancy.testing.ts";

const field = (name: string) => page.getByRole("textbox", { name, exact: true });
const card = (name: string) => page.getByRole("region", { name, exact: true });
const save = () => page.getByRole("button", { name: "Save" }).click();

test("OC-01 the applications page describes the traffic light and leads to its form", async () => {
  const { opened } = openAppPage("", shopWith());
  const { address } = await opened;
  await expect.element(card("Occupancy").getByText(/^A traffic light for visitors/)).toBeVisible();
  await card("Occupancy").getByRole("link", { name: "Set up the occupancy app" }).click();
  await expect.poll(address).toBe(`/location/${numberedId(6)}/apps/occupancy`);
  await expect.element(page.getByRole("switch", { name: "Enabled", exact: true })).not.toBeChecked();
});

test(
  "OC-01 a form that was never saved shows the defaults, and sends them whole with what was changed",
  { tags: "prove" },
  async () => {
    const { sent } = openAppPage("/occupancy", shopWith());
    await expect.element(field("Maximum number of people")).toHaveValue("10");
    await expect
      .element(card("When people may enter").getByRole("textbox", { name: "Title" }))
      .toHaveValue("You may enter!");
    await expect
      .element(card("When people have to wait").getByRole("textbox", { name: "Color", exact: true }))
      .toHaveValue("#e50051");
    await expect.element(field("Text for free spaces")).toHaveValue("Free spaces");
    await expect.element(field("Title of the rules")).toHaveValue("Behavior Rules");
    await expect
      .element(page.getByRole("group", { name: "Rule 4" }).getByRole("textbox", { name: "Name" }))
      .toHaveValue("No Touch");
    await page.getByRole("switch", { name: "Enabled", exact: true }).click();
    await field("Maximum number of people").fill("25");
    await openSelect(page.getByRole("combobox", { name: "Hour" }));
    await page.getByRole("option", { name: "04", exact: true }).click();
    await openSelect(page.getByRole("combobox", { name: "Minute" }));
    const options = () =>
      page
        .getByRole("option")
        .elements()
        .map(({ textContent }) => textContent);
    await expect.poll(options).toEqual(["00", "05", "10", "15", "20", "25", "30", "35", "40", "45", "50", "55"]);
    await page.getByRole("option", { name: "35", exact: true }).click();
    await save();
    await expect
      .poll(() => sent)
      .toEqual([
        {
          applications: [
            {
              version: "v1.1.0",
              type: "ps-occupancy-app",
              enabled: true,
              settings: {
                maxObjects: 25,
                resetTime: { interval: "daily", timeOfDay: { hour: 4, minute: 35, second: 0 } },
                events: [],
                sensors: null,
                frontend: occupancyDefaults.frontend,
              },
            },
          ],
        },
      ]);
  },
);

test("OC-01 errors are shown on blur, overlong text is kept, and nothing is sent", { tags: "prove" }, async () => {
  const { sent } = openAppPage("/occupancy", shopWith({ applications: enabledApplications }));
  const title = card("When people may enter").getByRole("textbox", { name: "Title" });
  await title.fill("x".repeat(21));
  expect(page.getByText("At most 20 characters").elements()).toEqual([]);
  await userEvent.tab();
  await expect.element(title).toHaveAccessibleDescription("At most 20 characters");
  await expect.element(title).toHaveValue("x".repeat(21));
  const most = field("Maximum number of people");
  for (const [typed, sentence] of [
    ["", "Max number of people is required"],
    ["2.5", "Max number should be a positive integer number"],
    ["0", "Max number should be a positive integer number"],
    ["ten", "Max number should be a positive integer number"],
  ] as const) {
    await most.fill(typed);
    await userEvent.tab();
    await expect.element(most).toHaveAccessibleDescription(sentence);
  }
  await field("Logo").fill("http://example.com/logo.png");
  await userEvent.tab();
  await expect.element(field("Logo")).toHaveAccessibleDescription("Enter an address that starts with https://");
  await save();
  await expect.element(page.getByRole("alert").getByText("Invalid configuration")).toBeVisible();
  await expect.element(most).toHaveFocus();
  expect(sent).toEqual([]);
});

test("OC-01 'Invalid configuration' stands for five seconds", { tags: "prove" }, async () => {
  openAppPage("/occupancy", shopWith({ applications: enabledApplications }));
  await field("Maximum number of people").fill("");
  const button = page.getByRole("button", { name: "Save" });
  await expect.element(button).toBeVisible();
  vi.useFakeTimers(testTimerOptions);
  try {
    const shown = visibleDuration("Invalid configuration");
    (button.element() as HTMLElement).click();
    await advanceTime(5600);
    const ms = await shown;
    expect(ms).toBeGreaterThanOrEqual(4900);
    expect(ms).toBeLessThanOrEqual(5200);
  } finally {
    vi.useRealTimers();
  }
});

test("OC-01 a number that is missing is no fault while the app is off", { tags: "prove" }, async () => {
  const { sent } = openAppPage("/occupancy", shopWith());
  await field("Maximum number of people").fill("");
  await save();
  await expect.poll(() => sent).toMatchObject([{ applications: [{ enabled: false, settings: { maxObjects: null } }] }]);
});

test("OC-01 APS sensors are chosen; others are shown disabled and say why", { tags: "prove" }, async () => {
  const { sent } = openAppPage("/occupancy", shopWith(), { sensors: [aps, secondAps, camera] });
  const box = (name: string) => page.getByRole("checkbox", { name: new RegExp(name) });
  await expect.element(box(aps._id)).toBeChecked();
  await expect.element(box(camera._id)).toHaveAttribute("aria-disabled", "true");
  await expect.element(box(camera._id)).toHaveAttribute("aria-description", "Only APS sensors can count for this app");
  await box(aps._id).click();
  await expect.element(box("All APS sensors")).not.toBeChecked();
  await save();
  await expect.poll(() => sent).toMatchObject([{ applications: [{ settings: { sensors: [secondAps._id] } }] }]);
});

test("OC-01 all rules are removed in one click, and come back with Discard", async () => {
  const { sent } = openAppPage("/occupancy", shopWith());
  const rules = page.getByRole("group", { name: /^Rule \d$/ });
  await page.getByRole("button", { name: "Remove all rules" }).click();
  await expect.element(page.getByText("No rules are shown.")).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Add rule" })).toHaveFocus();
  expect(page.getByRole("button", { name: /^Remove/ }).elements()).toEqual([]);
  await page.getByRole("button", { name: "Discard" }).click();
  await expect.poll(() => rules.elements()).toHaveLength(4);
  await page.getByRole("button", { name: "Remove all rules" }).click();
  await save();
  await expect.poll(() => sent).toMatchObject([{ applications: [{ settings: { frontend: { restrictions: [] } } }] }]);
});

test("OC-01 rules are added, put in another order, switched off and removed", { tags: "prove" }, async () => {
  const { sent } = openAppPage("/occupancy", shopWith());
  await page.getByRole("button", { name: "Add rule" }).click();
  const fifth = page.getByRole("group", { name: "Rule 5" });
  await expect.element(fifth.getByRole("textbox", { name: "Name" })).toHaveFocus();
  await fifth.getByRole("textbox", { name: "Name" }).fill("Dogs");
  await fifth.getByRole("textbox", { name: "Message" }).fill("Dogs wait outside");
  await page.getByRole("button", { name: "Move rule 5 up" }).click();
  await page.getByRole("button", { name: "Remove rule 1" }).click();
  await page.getByRole("group", { name: "Rule 1" }).getByRole("switch", { name: "Shown" }).click();
  await expect.element(page.getByRole("button", { name: "Move rule 1 up" })).toHaveAttribute("aria-disabled", "true");
  await save();
  const [, mask, sneeze, touch] = occupancyDefaults.frontend.restrictions;
  await expect
    .poll(() => sent)
    .toMatchObject([
      {
        applications: [
          {
            settings: {
              frontend: {
                restrictions: [
                  { ...mask, active: false },
                  sneeze,
                  { name: "Dogs", active: true, message: "Dogs wait outside" },
                  touch,
                ],
              },
            },
          },
        ],
      },
    ]);
});

test(
  "OC-01 the preview follows what is typed, in both states, with text that can be read on the color",
  { tags: "prove" },
  async () => {
    openAppPage("/occupancy", shopWith());
    const open = page.getByRole("group", { name: "Preview: May enter" });
    const closed = page.getByRole("group", { name: "Preview: Please wait" });
    await expect.element(closed.getByText("Please wait here!")).toBeVisible();
    await card("When people may enter").getByRole("textbox", { name: "Title" }).fill("Come in");
    await card("When people may enter").getByRole("textbox", { name: "Color", exact: true }).fill("#ffee00");
    await expect.element(open.getByText("Come in")).toBeVisible();
    const light = () => open.element().querySelector<HTMLElement>("[data-state]");
    await expect.poll(() => light()?.style.color).toBe("rgb(0, 0, 0)");
    await expect.element(open.getByText("Free spaces")).toBeVisible();
    await page.getByRole("switch", { name: "Show the number of people" }).click();
    await expect.element(open.getByText("People inside")).toBeVisible();
  },
);

test("OC-01 who may not edit reads the form and can't save", async () => {
  openAppPage("/occupancy", shopWith({ applications: enabledApplications }), { permissions: viewPermissions });
  await expect.element(page.getByText("You can view but not change this app.")).toBeVisible();
  await expect.element(field("Maximum number of people")).toHaveAttribute("readonly");
  await expect
    .element(page.getByRole("switch", { name: "Enabled", exact: true }))
    .toHaveAttribute("aria-disabled", "true");
  expect(page.getByRole("button", { name: "Save" }).elements()).toEqual([]);
});

test("OC-04 without what it needs the page says what to do, with the way there", async () => {
  const bare = shopWith({
    licenses: { buildings: false, occupancyMeasurement: false },
    location: { coordinates: null, geo: null, timezone: null, address: null },
  });
  openAppPage("/occupancy", bare, { sensors: [camera] });
  for (const sentence of [
    "Assign an APS sensor to this location.",
    "Specify the address of this location.",
    "This location doesn't have a PS.Buildings/PS.Occupancy license",
  ])
    await expect.element(page.getByRole("alert").getByText(sentence)).toBeVisible();
  await expect.element(page.getByText(/Contact our sales team/)).toBeVisible();
  for (const name of ["Assign a sensor", "Specify the address"])
    await expect
      .element(page.getByRole("link", { name }))
      .toHaveAttribute("href", `/location/${numberedId(6)}/general`);
  expect(page.getByRole("switch").elements()).toEqual([]);
});

test("OC-04 an app that lost what it needs can be switched off, and not on again", async () => {
  const shop = shopWith({
    applications: enabledApplications,
    licenses: { buildings: false, occupancyMeasurement: false },
  });
  openAppPage("/occupancy", shop);
  const on = page.getByRole("switch", { name: "Enabled", exact: true });
  await expect.element(on).toBeChecked();
  await on.click();
  await expect.element(on).not.toBeChecked();
  await expect.element(on).toHaveAttribute("aria-description", "Complete the steps above before you enable the app");
});

test.each([
  ["is off", shopWith(), "Enable the app and save it first"],
  [
    "has only a buildings license",
    shopWith({ applications: enabledApplications, licenses: { buildings: true, occupancyMeasurement: false } }),
    "This location doesn't have a PS.Occupancy license",
  ],
])(
  "OC-04 preview and links are off and say why where the app %s; their addresses lead to the form",
  async (_, shop, why) => {
    const { address } = await openAppPage("/occupancy/live", shop).opened;
    await expect.poll(address).toBe(`/location/${numberedId(6)}/apps/occupancy`);
    for (const name of ["Live preview", "Application link"]) {
      const entry = page.getByRole("link", { name });
      await expect.element(entry).toHaveAttribute("aria-disabled", "true");
      await expect.element(entry).toHaveAttribute("aria-description", why);
      (entry.element() as HTMLElement).focus();
      await expect.element(entry).toHaveFocus();
    }
  },
);
