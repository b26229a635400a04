// Tests batches in the sensor list, with stubbed responses.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse } from "../../testing/objects.ts";
import { waitForAppearance } from "../../testing/shown.ts";
import { allPermissions, firmwareOf, sampleLocationRef, sensorWith, createServerStub } from "../sensor.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const first = sensorWith({ groups: ["north"] });
const second = sensorWith({ _id: "02:00:00:00:7A:02" });
const bar = () => page.getByRole("toolbar", { name: "Selection" });
const refused = "No permission to edit the given entity.";
const firmwareId = "00000000-0000-7000-8000-000000000019";

function open(listed: Sensor[], reply: StubbedResponses[string] = { status: 404 }) {
  return openConsole(
    "/sensor",
    createServerStub(first, allPermissions, {
      "GET /api/v2/sensor": listResponse(listed),
      "GET /api/v2/sensor/batches": { status: 200, body: [] },
      "PUT /api/v2/sensor/batch-update": reply,
      "PUT /api/v2/sensor/batch-delete": reply,
      [`GET /api/artifact/${firmwareId}`]: { status: 200, body: firmwareOf(firmwareId, "1.19.0") },
    }),
  );
}
const outcome = (success: number, ...failed: Sensor[]): StubbedResponse => ({
  status: 200,
  body: { success, fail: failed.map(({ _id }) => ({ id: _id, errMessage: refused })) },
});

type Case = [
  what: string,
  button: string,
  title: string,
  submit: string,
  all: boolean,
  reply: StubbedResponse,
  says: string,
];
const cases: Case[] = [
  [
    "some could not be changed",
    "Set groups",
    "Set groups of 2 sensors",
    "Save",
    false,
    outcome(1, second),
    "1 sensor(s) failed to update! 1 sensor(s) was/were updated successfully.",
  ],
  [
    "the chosen were changed",
    "Set groups",
    "Set groups of 2 sensors",
    "Save",
    false,
    outcome(2),
    "Successfully updated 2 sensor(s)!",
  ],
  [
    "none could be changed",
    "Set groups",
    "Set groups of 2 sensors",
    "Save",
    false,
    outcome(0, first, second),
    "Saving Failed",
  ],
  [
    "some could not be deleted",
    "Delete",
    "Delete 2 sensors",
    "Delete",
    false,
    outcome(1, second),
    "1 sensor(s) failed to get deleted! 1 sensor(s) was/were deleted successfully.",
  ],
  [
    "the chosen were deleted",
    "Delete",
    "Delete 2 sensors",
    "Delete",
    false,
    outcome(2),
    "Successfully deleted 2 sensor(s)!",
  ],
  [
    "all were deleted",
    "Delete",
    "Delete 2 sensors",
    "Delete",
    true,
    outcome(2),
    "Successfully deleted all 2 sensor(s)!",
  ],
  [
    "none could be deleted",
    "Delete",
    "Delete 2 sensors",
    "Delete",
    false,
    outcome(0, first, second),
    "Deletion Failed",
  ],
];

async function tellsOutcome(...[, button, title, submit, all, reply, says]: Case) {
  await open([first, second], reply);
  await page.getByRole("checkbox", { name: `Select ${first._id}` }).click();
  if (all) await bar().getByRole("button", { name: "Select all 2", exact: true }).click();
  else await page.getByRole("checkbox", { name: `Select ${second._id}` }).click();
  await expect.element(bar().getByText("2 selected", { exact: true })).toBeVisible();
  await bar().getByRole("button", { name: button, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: title, exact: true });
  if (button === "Set groups") {
    const hint = "All previously assigned groups of the selected sensors would be overwritten.";
    await expect.element(dialog.getByText(hint, { exact: true })).toBeVisible();
    await dialog.getByRole("radio", { name: "Replace" }).click();
    await dialog.getByLabelText("Groups", { exact: true }).fill("south");
  }
  await dialog.getByRole("button", { name: submit, exact: true }).click();
  await expect.element(dialog.getByText(says, { exact: true })).toBeVisible();
}
/** These slow cases resemble others, so they run only in `npm run prove`. */
const slow = new Set([
  "the chosen were changed",
  "none could be changed",
  "some could not be deleted",
  "none could be deleted",
  "all were deleted",
]);
for (const one of cases)
  test(`SE-03 a batch tells that ${one[0]}`, { tags: slow.has(one[0]) ? "prove" : [] }, () => tellsOutcome(...one));

test.each(
  everyNth(3, [
    ["Set firmware", "firmware"],
    ["Set owner", "owner"],
    ["Set re-registration", "re-registration"],
  ]),
)(
  "SE-03 %s of one sensor: Save with nothing chosen says so, changes nothing and keeps the selection",
  async (button, field) => {
    const sent: unknown[] = [];
    await open([first, second], (body) => (sent.push(body), outcome(1)));
    await page.getByRole("checkbox", { name: `Select ${first._id}` }).click();
    await bar().getByRole("button", { name: button, exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Set ${field} of 1 sensor`, exact: true });
    const save = dialog.getByRole("button", { name: "Save", exact: true });
    await expect.element(save).not.toHaveAttribute("aria-disabled");
    await save.click();
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("Saving FailedNo changes specified");
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await expect.element(bar().getByText("1 selected", { exact: true })).toBeVisible();
    expect(sent).toEqual([]);
  },
);

test(
  "SE-03 groups that can't be stored are reported at their field, and Save changes nothing",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open([first, second], (body) => (sent.push(body), outcome(1)));
    await page.getByRole("checkbox", { name: `Select ${first._id}` }).click();
    await bar().getByRole("button", { name: "Set groups", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Set groups of 1 sensor", exact: true });
    await dialog.getByRole("radio", { name: "Replace" }).click();
    const box = dialog.getByLabelText("Groups", { exact: true });
    await box.fill("<b>");
    await expect.element(box).toHaveAttribute("aria-invalid", "true");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect.element(dialog.getByRole("button", { name: "<b>" })).toBeVisible();
    await expect.element(box).toHaveAttribute("aria-invalid", "true");
    expect(sent).toEqual([]);
    await box.click();
    await userEvent.keyboard("{Backspace}");
    await box.fill("north");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect.element(dialog.getByText("Successfully updated 1 sensor(s)!", { exact: true })).toBeVisible();
    expect(sent).toMatchObject([{ changes: { groups: ["north"] } }]);
  },
);

test(
  "SE-03 location and groups have no default: Save without a choice says so there and sends nothing",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open([first, second], (body) => (sent.push(body), outcome(1)));
    await page.getByRole("checkbox", { name: `Select ${first._id}` }).click();
    await bar().getByRole("button", { name: "Set location", exact: true }).click();
    let dialog = page.getByRole("dialog", { name: "Set location of 1 sensor", exact: true });
    for (const name of ["Move to …", "Remove from location"])
      await expect.element(dialog.getByRole("radio", { name, exact: true })).not.toBeChecked();
    const save = () => dialog.getByRole("button", { name: "Save", exact: true }).click();
    await save();
    await expect.element(dialog.getByText("Choose one of these", { exact: true })).toBeVisible();
    await dialog.getByRole("radio", { name: "Move to …" }).click();
    await save();
    await expect.element(dialog.getByText("Choose a location", { exact: true })).toBeVisible();
    expect(sent).toEqual([]);
    await dialog.getByRole("radio", { name: "Remove from location" }).click();
    await save();
    await expect.element(dialog.getByText("Successfully updated 1 sensor(s)!", { exact: true })).toBeVisible();
    expect(sent).toMatchObject([{ changes: { measID: null } }]);
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("checkbox", { name: `Select ${first._id}` }).click();
    await bar().getByRole("button", { name: "Set groups", exact: true }).click();
    dialog = page.getByRole("dialog", { name: "Set groups of 1 sensor", exact: true });
    await save();
    await expect.element(dialog.getByText("Choose one of these", { exact: true })).toBeVisible();
    await dialog.getByRole("radio", { name: "Add", exact: true }).click();
    await save();
    await expect.element(dialog.getByText("Enter at least one group", { exact: true })).toBeVisible();
    await dialog.getByLabelText("Groups", { exact: true }).fill("south");
    await expect.element(dialog.getByRole("table", { name: "Examples" }).getByText("north, south")).toBeVisible();
    await save();
    await expect.element(dialog.getByText("Successfully updated 1 sensor(s)!", { exact: true })).toBeVisible();
    expect(sent.at(-1)).toMatchObject({ changes: { groups: { add: ["south"] } } });
  },
);

test("SE-03 SE-09 assigning firmware offers its progress page, and undo for a moment", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  const given = "00000000-0000-4000-8000-0000000000c2";
  const { address } = await open([first, second], (body) => (sent.push(body), outcome(2)));
  await page.getByRole("checkbox", { name: "Select page" }).click();
  await bar().getByRole("button", { name: "Set firmware", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Set firmware of 2 sensors" });
  await dialog.getByRole("combobox", { name: "Firmware" }).click();
  await page.getByRole("option", { name: /^APS 2\.0\.0/ }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect.element(dialog.getByText("Installation started on 2 sensors", { exact: true })).toBeVisible();
  await dialog.getByRole("link", { name: "Show progress" }).click();
  await expect.poll(address).toBe("/sensor?installation=waiting&installation=installing");
  await expect.element(dialog).not.toBeInTheDocument();
  const undone = waitForAppearance(page.getByText("Previous firmware restored on 2 sensors.", { exact: true }));
  await page.getByRole("button", { name: "Undo" }).click();
  await undone;
  expect(sent.at(-1)).toEqual({
    sensorQuery: { ids: [first._id, second._id], artifactID: given, installation: ["waiting", "paused"] },
    changes: { artifact: null },
  });
});

test(
  "SE-03 the firmware of many is taken away only by who chooses that, and what it means is said first",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open([first, second], (body) => (sent.push(body), outcome(2)));
    await page.getByRole("checkbox", { name: "Select page" }).click();
    await bar().getByRole("button", { name: "Set firmware", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Set firmware of 2 sensors" });
    const submit = dialog.getByRole("button", { name: "Save", exact: true });
    const box = dialog.getByRole("combobox", { name: "Firmware" });
    await box.click();
    await page.getByRole("option", { name: "None", exact: true }).click();
    await expect.element(box).toHaveValue("None");
    await expect
      .element(dialog.getByText(/^The sensors keep their running version\. Installations in progress are/))
      .toBeVisible();
    await submit.click();
    await expect.element(dialog.getByText("Successfully updated 2 sensor(s)!", { exact: true })).toBeVisible();
    expect(sent).toEqual([{ sensorIDs: [first._id, second._id], expectedCount: 2, changes: { artifact: null } }]);
  },
);

test(
  "SE-03 ER-02 a failed sensor tells why; its id and what the reason names are the ways there",
  { tags: "prove" },
  async () => {
    const why = (id: string, type: string) => ({
      id,
      errMessage: "An invalid argument was given.",
      details: {
        reason: `Firmware 1.19.0 is for APS; this sensor is a ${type}.`,
        object: { type: "artifact", id: firmwareId, name: "1.19.0" },
      },
    });
    const fail = [why(first._id, "ZOD"), why(second._id, "PS.C1")];
    const { address } = await open([first, second], { status: 200, body: { success: 0, fail } });
    await page.getByRole("checkbox", { name: "Select page" }).click();
    await bar().getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 sensors" });
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    const alert = dialog.getByRole("alert");
    await expect.element(alert.getByText("An invalid argument was given.", { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: "Details" }).click();
    const items = dialog.getByRole("list", { name: "Failures" }).getByRole("listitem");
    await expect
      .element(items.first())
      .toMatchTextContent(
        /^An invalid argument was given\. Firmware 1\.19\.0 is for APS; this sensor is a ZOD\.Object ID/,
      );
    await expect
      .element(items.last().getByRole("link", { name: second._id }))
      .toHaveAttribute("href", `/sensor/${second._id}`);
    await items.first().getByRole("link", { name: "1.19.0" }).click();
    await expect.poll(address).toBe(`/firmware/${firmwareId}`);
    await expect.element(page.getByRole("dialog", { name: "APS 1.19.0 Firmware" })).toBeVisible();
  },
);

test(
  "SE-03 failures are listed under Details with message and Object ID, grouped by message",
  { tags: "prove" },
  async () => {
    await open([first, second], outcome(0, first, second));
    await page.getByRole("checkbox", { name: "Select page" }).click();
    await bar().getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 sensors" });
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await expect.element(dialog.getByRole("alert").getByText(refused, { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: "Details" }).click();
    const failures = dialog.getByRole("list", { name: "Failures" });
    for (const { _id } of [first, second])
      await expect
        .element(failures.getByRole("listitem").filter({ hasText: _id }))
        .toHaveTextContent(`${refused}Object ID: ${_id}`);
  },
);

test("SE-03 a batch that the server refuses as a whole shows the server's sentence", { tags: "prove" }, async () => {
  await open([first, second], { status: 500, body: { code: 100, error: "A database error occured." } });
  await page.getByRole("checkbox", { name: "Select page" }).click();
  await bar().getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 2 sensors" });
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.element(dialog.getByText("Deletion Failed", { exact: true })).toBeVisible();
  await expect.element(dialog.getByText(/A database error occured\./)).toBeVisible();
});

async function hover(what: Locator) {
  await expect.element(what).toBeVisible();
  await userEvent.hover(page.getByRole("heading", { level: 1 }));
  await userEvent.hover(what);
}
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
test("SE-03 a batch started elsewhere is followed through a lost connection; its failed ones are retried", async () => {
  const run = {
    _id: firmwareId,
    key: null,
    kind: "update",
    changes: { groups: ["south"] },
    total: 2,
    done: 1,
    success: 1,
    startedAt: "2026-11-26T10:00:00.000Z",
    finishedAt: null,
    isCanceled: false,
  };
  let polls = 0;
  const sent: unknown[] = [];
  await openConsole(
    "/sensor",
    createServerStub(first, allPermissions, {
      "GET /api/v2/sensor": listResponse([first, second]),
      "GET /api/v2/sensor/batches": { status: 200, body: [run] },
      [`GET /api/v2/sensor/batches/${run._id}`]: () => {
        polls += 1;
        if (polls === 1) return { status: 0 };
        const fail = [{ id: second._id, errMessage: refused }];
        return { status: 200, body: { ...run, done: 2, finishedAt: "2026-11-26T10:00:05.000Z", fail } };
      },
      "PUT /api/v2/sensor/batch-update": (body) => {
        sent.push(body);
        return outcome(1);
      },
    }),
  );
  const card = page.getByRole("region", { name: "Set groups of 2 sensors" });
  await card.getByRole("button", { name: "Retry failed" }).click();
  await expect.element(page.getByText("Successfully updated 2 sensor(s)!")).toBeVisible();
  expect(sent).toEqual([{ sensorIDs: [second._id], changes: run.changes }]);
});

type Presence = [Partial<Sensor["scomState"]>, label: string, tooltip: RegExp];
async function showsPresence(...[facts, label, tooltip]: Presence) {
  const { scomState } = sensorWith();
  await open([sensorWith({ measurement: sampleLocationRef, scomState: { ...scomState, ...facts } })]);
  const sign = page.getByRole("table", { name: "Sensors" }).getByText(label, { exact: true });
  await hover(sign);
  await expect.element(page.getByRole("tooltip")).toMatchTextContent(tooltip);
}
const presences: Presence[] = [
  [{}, "Connected", /^Connected since 20 Nov 2026, 15:45:00 GMT\+5:45$/],
  [
    { isConnected: false, lastContactAt: hoursAgo(60) },
    "Offline 2 d",
    /^Last seen \d{2} \w{3} \d{4}, [\d:]{8} GMT\+5:45$/,
  ],
  [{ conAt: null, lastContactAt: null }, "Connected", /^Connected$/],
  [{ lastContactAt: hoursAgo(3.5) }, "Connected · 3 h ago", /^Connected since/],
  [
    { isConnected: false, lastContactAt: hoursAgo(1.5) },
    "Connected · 1 h ago",
    /^Last contact was \d{2} \w{3} \d{4}, [\d:]{8} GMT\+5:45$/,
  ],
  [{ isConnectedButDoesntRespond: true }, "Not responding", /^Connected but not responding$/],
  [{ isConnected: false, conAt: null, lastContactAt: null }, "Never connected", /^Disconnected$/],
];
for (const [index, one] of presences.entries())
  test(
    `SE-12 in the list, a sensor with ${JSON.stringify(one[0])} is ${one[1]}, since: ${one[2]}`,
    { tags: index === 0 ? [] : "prove" },
    () => showsPresence(...one),
  );

test("SE-01 an owner that is deleted is marked so in the list", { tags: "prove" }, async () => {
  await open([sensorWith({ owner: { _id: first.owner._id, name: "Old shop", isDeleted: true } })]);
  await hover(page.getByRole("table", { name: "Sensors" }).getByText("Old shop", { exact: true }));
  await expect.element(page.getByRole("tooltip")).toMatchTextContent(/^Deleted account$/);
});
