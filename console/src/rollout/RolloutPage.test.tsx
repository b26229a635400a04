// Tests numbers, estimated end and actions of the rollout page with stubbed responses (SE-09, SE-03).
import type { Rollout } from "@psp/contract/firmware/firmware.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { openConsole } from "../testing/console.tsx";
import {
  allPermissions,
  firmwareOf,
  ids,
  viewOnlyPermissions,
  sensorWith,
  createServerStub,
} from "../sensor/sensor.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const nothing: Rollout = {
  running: 0,
  assigned: 0,
  waiting: 0,
  paused: 0,
  installing: 0,
  done: 0,
  failed: 0,
  canceled: 0,
  reverted: 0,
  ranBefore: 0,
  reasons: [],
  otherReasons: 0,
  offline: 0,
  recentlyDone: 0,
  estimatedEndAt: null,
};
const viewing = {
  ...viewOnlyPermissions,
  ownable: { ...viewOnlyPermissions.ownable, artifact: allPermissions.ownable?.artifact ?? {} },
};

async function open(facts: Partial<Rollout>, permissions = allPermissions) {
  const sent: unknown[] = [];
  await openConsole(
    `/firmware/${ids.newer}/rollout`,
    createServerStub(sensorWith(), permissions, {
      [`GET /api/artifact/${ids.newer}`]: { status: 200, body: firmwareOf(ids.newer, "2.0.0") },
      [`GET /api/artifact/${ids.newer}/rollout`]: { status: 200, body: { ...nothing, assigned: 20, ...facts } },
      "PUT /api/v2/sensor/batch-update": (body) => {
        sent.push(body);
        return { status: 200, body: { success: 3, fail: [] } };
      },
    }),
  );
  await expect.element(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  return sent;
}

test.each(
  everyNth(3, [
    ["Pause", "Pause the installation on 3 sensors", "Pause installation", ["waiting"], { installation: "paused" }],
    ["Resume", "Resume the installation on 3 sensors", "Resume installation", ["paused"], { installation: "waiting" }],
    ["Retry failed", "Retry the installation on 3 sensors", "Retry", ["failed"], { artifact: ids.newer }],
    [
      "Cancel waiting",
      "Cancel the installation on 6 sensors",
      "Cancel installation",
      ["waiting", "paused"],
      { artifact: null },
    ],
  ] as const),
)("SE-09 SE-03 %s asks, and changes the sensors that fit", async (button, title, submit, installation, changes) => {
  const sent = await open({ waiting: 3, paused: 3, failed: 3, reasons: [{ reason: "HASH", count: 3 }] });
  await page.getByRole("button", { name: button, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.getByRole("button", { name: submit, exact: true }).click();
  await expect.element(dialog.getByText("Successfully updated", { exact: false }).first()).toBeVisible();
  const expectedCount = installation.length * 3;
  expect(sent).toEqual([{ sensorQuery: { artifactID: ids.newer, installation }, expectedCount, changes }]);
});

test("SE-09 the percent leaves out sensors that ran the version before, and canceled ones", async () => {
  await open({ ranBefore: 90, canceled: 2, assigned: 96, waiting: 2, done: 1, reverted: 1 });
  await expect.element(page.getByText("1 of 4 done", { exact: true })).toBeVisible();
  await expect.element(page.getByText("25 %", { exact: true })).toBeVisible();
  await expect.element(page.getByText("90 sensors already ran this version.")).toBeVisible();
});

test("SE-09 each number leads to its sensors, paused ones among them", async () => {
  await open({ waiting: 1, paused: 2 });
  await expect
    .element(page.getByRole("link", { name: /^Paused 2/ }))
    .toHaveAttribute("href", `/sensor?artifactID=${ids.newer}&installation=paused`);
});

test("SE-09 SE-13 without the edit right, pausing and resuming are disabled with the reason", async () => {
  await open({ waiting: 1, paused: 2 }, viewing);
  for (const name of ["Pause", "Resume"]) {
    const button = page.getByRole("button", { name, exact: true });
    await expect.element(button).toHaveAttribute("aria-disabled", "true");
    await expect.element(button).toHaveAccessibleDescription(/permission/);
  }
});

test("SE-09 the estimated end is a time and a span, and says what it leaves out", async () => {
  // Some extra seconds keep the rounded minutes stable during the test.
  const inTwelve = new Date(Date.now() + 12 * 60_000 + 20_000);
  await open({
    waiting: 5,
    paused: 1,
    installing: 4,
    offline: 3,
    recentlyDone: 8,
    estimatedEndAt: inTwelve.toISOString(),
  });
  const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(inTwelve);
  await expect.element(page.getByText(new RegExp(`${time}, in about 12 minutes$`))).toBeVisible();
  const note =
    "Based on 8 installations finished in the last hour. Not including 3 sensors that are offline and 1 sensor that is paused.";
  await expect.element(page.getByText(note, { exact: true })).toBeVisible();
});

test.each<[string, Partial<Rollout>, string, string]>([
  ["no pace", { installing: 2 }, "Not known yet", "No installation finished in the last hour."],
  [
    "none of them connected",
    { waiting: 2, offline: 2, recentlyDone: 1 },
    "No installations in progress on connected sensors",
    "Not including 2 sensors that are offline.",
  ],
])("SE-09 with %s the end is not known, in words", async (_case, facts, words, note) => {
  await open(facts);
  await expect.element(page.getByText(words, { exact: true })).toBeVisible();
  await expect.element(page.getByText(note, { exact: true })).toBeVisible();
});

test("SE-09 a rollout that is through has no estimated end", async () => {
  await open({ done: 20, recentlyDone: 20 });
  await expect.element(page.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  expect(page.getByText("Estimated end").elements()).toHaveLength(0);
});
