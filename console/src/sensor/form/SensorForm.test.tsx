// Tests the general form of a sensor, with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { applyLiveMessages, queryClient } from "../../api/query-client.ts";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse } from "../../testing/objects.ts";
import { waitForAppearance } from "../../testing/shown.ts";
import {
  allPermissions,
  sampleFirmwareList,
  ids,
  viewOnlyPermissions,
  sampleLocationRef,
  ownAccount,
  sensorApiPath,
  sensorWith,
  createServerStub,
  sampleLocation,
} from "../sensor.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const general = `/sensor/aps/${ids.sensor}/general`;
const bar = () => page.getByRole("region", { name: "Unsaved changes" });
const box = (name: string) => page.getByRole("combobox", { name, exact: true });

async function open(
  facts: Partial<Sensor> = {},
  permissions: Permissions = allPermissions,
  more: StubbedResponses = {},
) {
  const sent: unknown[] = [];
  const sensor = sensorWith(facts);
  const save = (body: unknown): StubbedResponse => {
    sent.push(body);
    return { status: 200, body: { ...sensor, version: sensor.version + 1 } };
  };
  const { screen, address } = await openConsole(
    general,
    createServerStub(sensor, permissions, { [`PUT ${sensorApiPath}`]: save, ...more }),
  );
  await expect.element(page.getByRole("heading", { level: 1, name: ids.sensor })).toBeVisible();
  await expect.element(page.getByLabelText("Groups")).toBeVisible();
  return { sent, screen, sensor, address };
}
const save = () => bar().getByRole("button", { name: "Save" }).click();
const news = (sensor: Sensor, facts: Partial<Sensor>) =>
  applyLiveMessages(queryClient, [
    { type: "sensor", op: "update", obj: { ...sensor, version: sensor.version + 1, ...facts }, seq: 1, cursor: "c1" },
  ]);
const without = (change: (permissions: Permissions) => void): Permissions => {
  const permissions = structuredClone(allPermissions);
  change(permissions);
  return permissions;
};

test("SE-08 the owner may become who the rule allows, and the present one stays in the list", async () => {
  const { sent } = await open();
  await box("Owner").click();
  await expect.element(page.getByRole("option", { name: /Harbour Stores/ })).toBeVisible();
  await page.getByRole("option", { name: /Harbour Branch/ }).click();
  await expect.element(bar().getByText("Unsaved changes: Owner")).toBeVisible();
  await save();
  await expect.poll(() => sent).toEqual([{ owner: ids.child }]);
});

test.each<[string, Permissions, StubbedResponses, string]>(
  everyNth(3, [
    [
      "1, away from this owner",
      without((all) => {
        if (all.ownable?.sensor) all.ownable.sensor.canChangeOwner = { from: {}, to: { me: true, myChildren: true } };
      }),
      {},
      "You have no permission to change the sensor's owner.",
    ],
    [
      "4, to no one",
      without((all) => {
        if (all.ownable?.sensor) all.ownable.sensor.canChangeOwner = { from: { me: true }, to: {} };
      }),
      {},
      "You have no permission to make any account the owner.",
    ],
    ["3, no one there", allPermissions, { "GET /api/account": listResponse([ownAccount]) }, "No account exists."],
  ]),
)(
  "SE-08 ER-02 no owner to choose (client code %s): a toast says why, until it is closed",
  async (_case, rights, more, sentence) => {
    await open({}, rights, more);
    await box("Owner").click();
    const toast = page.getByRole("alert").filter({ hasText: sentence });
    await expect.element(toast).toBeVisible();
    await toast.getByRole("button", { name: "Close" }).click();
    await expect.element(toast).not.toBeInTheDocument();
  },
);

test(
  "ER-02 without another account, creating one is offered to those who may view accounts",
  { tags: "prove" },
  async () => {
    const alone = { "GET /api/account": listResponse([ownAccount]), "GET /api/role": listResponse([]) };
    const { screen, address } = await open({}, allPermissions, alone);
    await box("Owner").click();
    const toast = page.getByRole("alert").filter({ hasText: "No account exists." });
    await toast.getByRole("button", { name: "New account" }).click();
    await expect.poll(address).toMatch(/^\/account/);
    await screen.unmount();
    const ownOnly = without((all) => Object.assign(all, { owner: { canViewOwner: { me: true } } }));
    await open({}, ownOnly, alone);
    await box("Owner").click();
    await expect.element(toast).toBeVisible();
    expect(toast.getByRole("button", { name: "New account" }).elements()).toEqual([]);
  },
);

test(
  "SE-08 firmware: of the sensor's type, usable, and the present one always in the list",
  { tags: "prove" },
  async () => {
    let asked = "";
    const foreign = {
      ...sampleFirmwareList[0],
      _id: ids.otherPlace,
      name: "3.0.0",
      owner: { _id: ids.root, name: "Support", isDeleted: false },
    };
    const present = {
      ...sampleFirmwareList[1],
      name: "1.0.0",
      owner: { _id: ids.root, name: "Support", isDeleted: false },
    };
    const { screen, sent } = await open(
      { artifact: { _id: ids.firmware, name: "1.0.0", type: "APS", isDeleted: false } },
      allPermissions,
      { "GET /api/artifact": listResponse([foreign, sampleFirmwareList[0], present]) },
    );
    const real = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      if (typeof input === "string" && input.includes("/api/artifact")) asked = input;
      return real(input, init);
    };
    await box("Firmware").click();
    await expect.element(page.getByRole("option", { name: /^2\.0\.0/ })).toBeVisible();
    await expect.element(page.getByRole("option", { name: /^1\.0\.0/ })).toBeVisible();
    // The user may view this firmware, but not use it.
    expect(page.getByRole("option", { name: /^3\.0\.0/ }).elements()).toHaveLength(0);
    await userEvent.keyboard("2");
    await expect.poll(() => asked).toContain("sensorType=APS");
    await page.getByRole("option", { name: /^2\.0\.0/ }).click();
    await save();
    await expect.poll(() => sent).toEqual([{ artifact: ids.newer }]);
    await screen.unmount();
  },
);

test.each<[string, Permissions, StubbedResponses, string, boolean]>([
  [
    "9 none there",
    allPermissions,
    { "GET /api/artifact": listResponse([]) },
    "No artifact for deployment existing.",
    true,
  ],
  [
    "10 none usable",
    without((all) => {
      if (all.other) all.other.canUseArtifact = {};
    }),
    {},
    "You have no permission to use any artifact.",
    false,
  ],
])("SE-08 ER-02 no firmware to choose (client code %s)", async (_case, rights, more, sentence, shortcut) => {
  const { address } = await open({}, rights, more);
  await box("Firmware").click();
  const toast = page.getByRole("alert").filter({ hasText: sentence });
  await expect.element(toast).toBeVisible();
  const create = toast.getByRole("button", { name: "Create artifact" });
  expect(create.elements()).toHaveLength(shortcut ? 1 : 0);
  if (!shortcut) return;
  await create.click();
  await expect.poll(address).toMatch(/^\/firmware\/new/);
});

const assigned = { _id: ids.newer, name: "2.0.0", type: "APS" as const, isDeleted: false };
const running = { _id: ids.firmware, name: "1.18.0", type: "APS" as const, isDeleted: false };
test.each<[string, Partial<Sensor>, string | null]>([
  ["another one assigned than runs", { artifact: assigned, artifactRunning: running }, "installing"],
  ["the assigned one running", { artifact: running, artifactRunning: running }, null],
  ["a deleted one assigned", { artifact: { ...assigned, isDeleted: true }, artifactRunning: null }, "deleted"],
])("SE-08 the hint at the firmware with %s", async (_case, facts, hint) => {
  await open(facts);
  const installing = page.getByText("Firmware is currently being installed on the sensor.");
  const deleted = page.getByText("This firmware is either deleted or you don't have access to it");
  expect(installing.elements()).toHaveLength(hint === "installing" ? 1 : 0);
  expect(deleted.elements()).toHaveLength(hint === "deleted" ? 1 : 0);
});

test("SE-08 a cleared location is sent as empty", async () => {
  const { sent } = await open({ measurement: sampleLocationRef }, allPermissions, {
    "GET /api/v2/measurement": listResponse([sampleLocation]),
  });
  await expect.element(box("Location")).toHaveValue("Main entrance");
  await userEvent.hover(box("Location"));
  await page.getByRole("button", { name: "Clear" }).first().click();
  await save();
  await expect.poll(() => sent).toEqual([{ measID: null }]);
});

const staysHint = "You can't edit the location so you cannot assign the sensor to any other location.";
const noEdit = without((all) => {
  if (all.ownable?.measurement) all.ownable.measurement.canEditObject = {};
});
const noAssign = without((all) => {
  if (all.other) delete all.other.canAssignSensors;
});
test.each<[string, Partial<Sensor>, Permissions, string, boolean]>([
  [
    "no right to view locations",
    {},
    without((all) => {
      if (all.ownable) delete all.ownable.measurement;
    }),
    "You can't view any locations.",
    true,
  ],
  [
    "no right to put sensors anywhere",
    { measurement: sampleLocationRef },
    noAssign,
    "You can't assign sensors to any location.",
    false,
  ],
  ["no right to edit the present one", { measurement: sampleLocationRef }, noEdit, staysHint, true],
])("SE-08 the hint at the location: %s", async (_case, facts, rights, hint, isFixed) => {
  await open(facts, rights, { "GET /api/v2/measurement": listResponse([sampleLocation]) });
  await expect.element(page.getByText(hint)).toBeVisible();
  expect(box("Location").element().hasAttribute("readonly")).toBe(isFixed);
  if (hint !== staysHint) expect(page.getByText(staysHint).elements()).toEqual([]);
});

test("SE-08 a sensor without location can be assigned by those who can't edit any", { tags: "prove" }, async () => {
  await open({}, noEdit, { "GET /api/v2/measurement": listResponse([sampleLocation]) });
  await box("Location").click();
  await page.getByRole("option", { name: /Main entrance/ }).click();
  await expect.element(bar().getByText("Unsaved changes: Location")).toBeVisible();
  expect(page.getByText(staysHint).elements()).toEqual([]);
});

test("SE-08 what is typed while the rest is being saved is neither lost nor taken for saved", async () => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  const sent: unknown[] = [];
  let stored = sensorWith({ groups: ["entrance"] });
  await open({ groups: ["entrance"] }, allPermissions, {
    [`PUT ${sensorApiPath}`]: async (change) => {
      sent.push(change);
      stored = { ...stored, ...(change as Partial<Sensor>), version: stored.version + 1 };
      await held;
      return { status: 200, body: stored };
    },
  });
  await page.getByLabelText("Groups").fill("north side");
  await save();
  await expect.poll(() => sent).toEqual([{ groups: ["entrance", "north side"] }]);
  await page.getByRole("switch", { name: "Re-registration" }).click({ force: true });
  await page.getByLabelText("Groups").fill("east side");
  answer();
  await expect.element(bar().getByText("Unsaved changes: Re-registration", { exact: true })).toBeVisible();
  await expect.element(page.getByLabelText("Groups")).toHaveValue("east side");
  await expect.element(page.getByText("Someone else has changed this sensor.")).not.toBeInTheDocument();
  await save();
  await expect
    .poll(() => sent.slice(1))
    .toEqual([{ claimable: true, groups: ["entrance", "north side", "east side"] }]);
});

test("SE-08 text still in the groups box is a group when saved; only that field is sent", async () => {
  const { sent } = await open({ groups: ["entrance"] });
  await page.getByLabelText("Groups").fill("north side, east side");
  await expect.element(bar().getByText("Unsaved changes: Groups")).toBeVisible();
  await save();
  await expect.poll(() => sent).toEqual([{ groups: ["entrance", "north side", "east side"] }]);
});

test.each<[string, string]>([
  ["a<b", "Invalid input. Remove special characters like '<>', '[]', '{}'."],
  ["x".repeat(101), "A group can have at most 100 characters"],
])(
  "SE-08 ER-03 a group that breaks a rule (%#) is refused at the field, and nothing is sent",
  async (text, sentence) => {
    const { sent } = await open();
    await page.getByLabelText("Groups").fill(text);
    await expect.element(page.getByText(sentence)).toBeVisible();
    await save();
    await expect.element(bar().getByRole("button", { name: "Save" })).toBeVisible();
    expect(sent).toEqual([]);
  },
);

type Switch = [string, Partial<Sensor>, Permissions, string, boolean];
async function showsSwitch(...[, facts, rights, tooltip, off]: Switch) {
  const { sent } = await open(facts, rights);
  const toggle = page.getByRole("switch", { name: "Re-registration" });
  await userEvent.hover(toggle);
  await expect.element(page.getByRole("tooltip")).toHaveTextContent(tooltip);
  if (off) await expect.element(toggle).toHaveAttribute("aria-disabled", "true");
  await toggle.click({ force: true });
  if (off) return expect(bar().elements()).toHaveLength(0);
  await save();
  await expect.poll(() => sent).toEqual([{ claimable: true }]);
}
const switches: Switch[] = [
  ["no right to edit", {}, viewOnlyPermissions, "You don't have permission to edit this sensor", true],
  ["code and right", {}, allPermissions, "If enabled, the sensor can be re-registered by other users", false],
  ["no registration code", { claimingCode: null }, allPermissions, "There is no registration code yet", true],
];
for (const one of switches)
  test(
    `SE-08 the re-registration switch with ${one[0]}`,
    { tags: one[0] === "no registration code" ? "prove" : [] },
    () => showsSwitch(...one),
  );

test(
  "SE-08 the registration code is shown, copied, and drawn as the link that registers",
  { tags: "prove" },
  async () => {
    await open();
    const card = page.getByRole("region", { name: "Registration" });
    await expect.element(card.getByText("ABCD2345")).toBeVisible();
    await expect.element(card.getByRole("button", { name: `Copy registration code of ${ids.sensor}` })).toBeVisible();
    await card.getByRole("button", { name: "Show QR code" }).click();
    const dialog = page.getByRole("dialog", { name: "Register this sensor" });
    await expect.element(dialog.getByText(`${location.origin}/sensor/register?code=ABCD2345`)).toBeVisible();
    const image = dialog.getByRole("img", { name: `QR code with the registration link of ${ids.sensor}` });
    await expect.element(image).toBeVisible();
    const { decodeQR } = await import("qr/decode.js");
    expect(decodeQR(await pixelsOf(image.element()))).toBe(`${location.origin}/sensor/register?code=ABCD2345`);
  },
);

async function pixelsOf(
  svg: Element,
): Promise<{ width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> }> {
  const side = 400;
  const copy = svg.cloneNode(true) as SVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(side));
  copy.setAttribute("height", String(side));
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(copy.outerHTML)}`;
  await picture.decode();
  const context = new OffscreenCanvas(side, side).getContext("2d");
  context?.drawImage(picture, 0, 0, side, side);
  const pixels = context?.getImageData(0, 0, side, side);
  return { width: side, height: side, data: pixels?.data ?? new Uint8ClampedArray() };
}

test("SE-08 a field being edited keeps what was typed, says 'New value available', and can take it", async () => {
  const { sensor, sent } = await open({ groups: ["old"] });
  await page.getByLabelText("Groups").fill("mine");
  await userEvent.keyboard("{Enter}");
  news(sensor, { groups: ["theirs"], measurement: sampleLocationRef });
  await expect.element(box("Location")).toHaveValue("Main entrance");
  await expect.element(page.getByText("New value available: theirs")).toBeVisible();
  await expect.element(page.getByText("mine", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Use the new groups" }).click();
  await expect.element(page.getByText("theirs", { exact: true })).toBeVisible();
  await expect.element(bar()).not.toBeInTheDocument();
  expect(sent).toEqual([]);
});

test("SE-08 the sensor's coming and going disturbs no input", async () => {
  const { sensor } = await open();
  await page.getByLabelText("Groups").fill("mine");
  news(sensor, { version: sensor.version, scomState: { ...sensor.scomState, isConnectedButDoesntRespond: true } });
  await expect.element(page.getByText("Not responding")).toBeVisible();
  await expect.element(page.getByLabelText("Groups")).toHaveValue("mine");
  expect(page.getByText("Someone else has changed this sensor.").elements()).toHaveLength(0);
});

test("SE-08 a 412 asks with the name and time of the other's change; overwriting sends one's own", async () => {
  const row = {
    _id: ids.place,
    at: "2026-11-20T12:04:39.000Z",
    who: { _id: ids.child, name: "Harbour Branch" },
    requestId: "r",
    action: "update",
    object: { type: "sensor", _id: ids.sensor },
    before: {},
    after: {},
  };
  const sent: unknown[] = [];
  const put = (body: unknown): StubbedResponse => {
    sent.push(body);
    return sent.length === 1
      ? { status: 412, body: { code: 102, error: "An invalid argument was given." } }
      : { status: 200, body: sensorWith({ groups: ["mine"], version: 6 }) };
  };
  const audit = (_: unknown, query: URLSearchParams): StubbedResponse =>
    listResponse(query.get("objectType") === "sensor" && query.get("objectID") === ids.sensor ? [row] : []);
  await open({}, allPermissions, { [`PUT ${sensorApiPath}`]: put, "GET /api/v2/audit": audit });
  await page.getByLabelText("Groups").fill("mine");
  await save();
  const dialog = page.getByRole("alertdialog", { name: "Someone else made changes" });
  await expect.element(dialog.getByText(/^Changed by Harbour Branch at 20 Nov 2026, \d{2}:04:39 /)).toBeVisible();
  const saved = waitForAppearance(bar().getByText("Saved", { exact: true }));
  await dialog.getByRole("button", { name: "Overwrite" }).click();
  await saved;
  expect(sent).toEqual([{ groups: ["mine"] }, { groups: ["mine"] }]);
});

test(
  "ER-02 a refused change stays in the form; the toast has title, the server's words, and Close",
  { tags: "prove" },
  async () => {
    const refused = {
      status: 403,
      body: { code: 301, error: "No permission to assign the given sensor.", requestId: "r-7" },
    };
    await open({}, allPermissions, { [`PUT ${sensorApiPath}`]: refused });
    await page.getByLabelText("Groups").fill("mine");
    await save();
    const toast = page.getByRole("alert").filter({ hasText: "Failed to update sensor." });
    await expect.element(toast.getByText("No permission to assign the given sensor. Request r-7")).toBeVisible();
    await expect.element(page.getByText("mine", { exact: true })).toBeVisible();
    await toast.getByRole("button", { name: "Close" }).click();
    await expect.element(toast).not.toBeInTheDocument();
  },
);

test("ER-02 a search for a location that fails says so in the list", { tags: "prove" }, async () => {
  const broken = { status: 500, body: { code: 100, error: "A database error occured." } };
  await open({}, allPermissions, { "GET /api/v2/measurement": broken });
  await box("Location").click();
  await expect.element(page.getByText("Search failed", { exact: true })).toBeVisible();
});

test("PE-02 who may only view sees the form and no way to change it", async () => {
  await open({ claimingCode: null }, viewOnlyPermissions);
  await expect.element(page.getByText("You can view but not change this sensor.")).toBeVisible();
  await expect.element(box("Owner")).toHaveAttribute("readonly");
  await expect.element(page.getByLabelText("Groups")).toHaveAttribute("readonly");
  expect(page.getByRole("button", { name: "Show QR code" }).elements()).toHaveLength(0);
});

test("SE-08 SE-13 anyone who hands a sensor over out of their own view is informed, and led to the list", async () => {
  const { address } = await open({}, allPermissions, {
    [`PUT ${sensorApiPath}`]: { status: 200, body: { _id: ids.sensor } },
  });
  await box("Owner").click();
  await page.getByRole("option", { name: /Harbour Branch/ }).click();
  const informed = waitForAppearance(page.getByText("Saved. This sensor is no longer visible to you."));
  await save();
  await expect.poll(address).toBe("/sensor");
  await informed;
  expect(page.getByText("Failed to update sensor.").elements()).toEqual([]);
});
