// Tests lists in settings sections: adding and removing items, typing and drawing points. Also tests a section that exists only
// in this file.
import type { Section } from "@psp/contract/section/field.ts";
import { makeEndpoint, validValues, requireSection } from "@psp/contract/section/section.testing.ts";
import { sectionsOf } from "@psp/contract/section/sections.ts";
import { getDefaults, withoutValueAt } from "@psp/contract/section/values.ts";
import { afterEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { redSquare } from "../testing/picture.ts";
import { ids } from "../sensor/sensor.testing.ts";
import {
  box,
  button,
  choice,
  choose,
  createDeviceStub,
  group,
  openSection,
  clickSave,
  servedSection,
  toggle,
} from "./section.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const { ZOD } = sectionsOf;
afterEach(() => {
  sectionsOf.ZOD = ZOD;
});

const camera = (id: string, sectionId: string | null) => ({
  id,
  name: `Camera ${id}`,
  enabled: true,
  sectionId,
  rotation: 0,
  heightCm: 220,
});
const cameras = (...sections: (string | null)[]) => ({
  ...validValues("ZOD", "camera"),
  cameras: sections.map((sectionId, n) => camera(`c${n + 1}`, sectionId)),
});

test("SE-06 a level and a section are added; they stay new until they are saved", async () => {
  const device = createDeviceStub({
    group: servedSection(validValues("ZOD", "group")),
    camera: servedSection(cameras(null)),
  });
  await openSection("ZOD", "group", device);
  await button("Add level").click();
  await expect.element(box("Name", group("New level"))).toHaveFocus();
  await box("Name", group("New level")).fill("Upper");
  await button("Add section").click();
  const fresh = group("New section");
  await box("Name", fresh).fill("Rear");
  await expect.element(box("Seats", fresh)).toHaveValue("20");
  await choose(choice("Level", fresh), "Upper");
  await box("Seats", fresh).fill("0");
  await box("Standing places", fresh).fill("0");
  await clickSave();
  await expect.element(box("Seats", fresh)).toHaveAccessibleDescription("A section needs at least one place.");
  await box("Standing places", fresh).fill("7");
  await clickSave();
  await expect
    .poll(() => device.sent)
    .toMatchObject([
      {
        values: {
          levels: [{ id: "l1" }, { id: "l2", name: "Upper" }],
          sections: [{ id: "s1" }, { id: "s2", name: "Rear", levelId: "l2", seats: 0, standing: 7 }],
        },
      },
    ]);
  await expect.element(group("Section Rear")).toBeVisible();
  await expect.element(group("Level Upper")).toBeVisible();
  await expect.element(fresh).not.toBeInTheDocument();
});

test("SE-06 names in a list are given once", async () => {
  await openSection("ZOD", "group", createDeviceStub({ group: servedSection(validValues("ZOD", "group")) }));
  await button("Add level").click();
  await box("Name", group("New level")).fill(" Main ");
  await userEvent.tab();
  await expect.element(box("Name", group("New level"))).toHaveAccessibleDescription("Name is already used.");
});

test("SE-06 what is in use is not removed, and the button says by what", { tags: "prove" }, async () => {
  const values = {
    ...validValues("ZOD", "group"),
    sections: ["s1", "s2", "s3"].map((id) => ({ id, name: id.toUpperCase(), levelId: "l1", seats: 20, standing: 10 })),
  };
  const device = createDeviceStub({ group: servedSection(values), camera: servedSection(cameras("s1", "s1", "s2")) });
  await openSection("ZOD", "group", device);
  const reason = (name: string) => expect.element(button(name));
  await reason("Remove Main").toHaveAttribute("aria-description", "Remove its sections first.");
  await reason("Remove S1").toHaveAttribute("aria-description", "Cameras c1, c2 look at this section.");
  await reason("Remove S2").toHaveAttribute("aria-description", "Camera c3 looks at this section.");
  await button("Remove S1").click({ force: true });
  await expect.element(group("Section S1")).toBeVisible();
  await button("Remove S3").click();
  await expect.element(group("Section S3")).not.toBeInTheDocument();
  await expect.element(box("Name", group("Section S2"))).toHaveFocus();
  await clickSave();
  await expect.poll(() => device.sent).toMatchObject([{ values: { sections: [{ id: "s1" }, { id: "s2" }] } }]);
});

test("SE-06 without the other section the form is there all the same, and ids stand for names", async () => {
  const device = createDeviceStub({ camera: servedSection(cameras("s1", null)) });
  await openSection("ZOD", "camera", device);
  await expect.element(choice("Section", group("Camera c1"))).toHaveTextContent("s1");
  await expect.element(choice("Section", group("Camera c2"))).toHaveTextContent("-");
  expect(page.getByRole("button", { name: /^(Add|Remove)/ }).elements()).toEqual([]);
  await box("Mounting height (cm)", group("Camera c2")).fill("250");
  await clickSave();
  await expect
    .poll(() => device.sent)
    .toMatchObject([{ values: { cameras: [{ sectionId: "s1" }, { heightCm: 250 }] } }]);
});

test(
  "SE-06 a section that is gone: said at the choice that names it, until another one is chosen",
  { tags: "prove" },
  async () => {
    const device = createDeviceStub({
      camera: servedSection(cameras("s9", null)),
      group: servedSection(validValues("ZOD", "group")),
    });
    await openSection("ZOD", "camera", device);
    const field = choice("Section", group("Camera c1"));
    await expect.element(field).toHaveTextContent("s9");
    await box("Mounting height (cm)", group("Camera c2")).fill("250");
    await clickSave();
    const sentence = "This section does not exist.";
    await expect.element(field).toHaveAccessibleDescription(sentence);
    await expect.element(field).toHaveAttribute("aria-invalid", "true");
    await expect.element(field).toHaveFocus();
    await choose(field, "Main");
    await expect.element(page.getByText(sentence)).not.toBeInTheDocument();
    await clickSave();
    await expect.poll(() => device.sent).toMatchObject([{ values: { cameras: [{ sectionId: "s1" }, {}] } }]);
  },
);

test("SE-06 one camera must be enabled: said at the list, with a link there", { tags: "prove" }, async () => {
  const device = createDeviceStub({
    camera: servedSection(cameras(null, null)),
    group: servedSection(validValues("ZOD", "group")),
  });
  await openSection("ZOD", "camera", device);
  for (const name of ["Camera c1", "Camera c2"]) await toggle("Enabled", group(name)).click();
  await clickSave();
  const sentence = "At least one camera must be enabled.";
  await expect.element(page.getByRole("region", { name: "Cameras" }).getByText(sentence)).toBeVisible();
  await page.getByRole("alert").getByRole("link", { name: sentence }).click();
  expect(document.activeElement?.getAttribute("aria-describedby")).not.toBeNull();
  expect(device.sent).toEqual([]);
});

test("SE-06 at most three endpoints, and the button says so", { tags: "prove" }, async () => {
  const endpoints = ["e1", "e2"].map((id) => withoutValueAt(makeEndpoint(id, id.toUpperCase()), "password"));
  const device = createDeviceStub({ dataendpoint: servedSection({ endpoints }) });
  await openSection("ZOD", "dataendpoint", device);
  await button("Remove E1").click();
  await button("Add endpoint").click();
  await button("Add endpoint").click();
  await expect.element(button("Add endpoint")).toHaveAttribute("aria-disabled", "true");
  await expect.element(button("Add endpoint")).toHaveAttribute("aria-description", "There may be at most 3 endpoints.");
  const fresh = group("New endpoint");
  for (const [n, name] of ["A", "B"].entries()) {
    await box("Name", fresh.nth(n)).fill(name);
    await box("Address", fresh.nth(n)).fill(`https://${name.toLowerCase()}.example.com`);
  }
  await clickSave();
  await expect
    .poll(() => device.sent)
    .toMatchObject([{ values: { endpoints: [{ id: "e2" }, { id: "e3", name: "A" }, { id: "e4", name: "B" }] } }]);
});

test("SE-06 what a device says of an endpoint stands in its group", async () => {
  const endpoints = ["e1", "e2"].map((id) => withoutValueAt(makeEndpoint(id, id.toUpperCase()), "password"));
  const at = new Date(2026, 10, 20, 8, 3).getTime();
  const info = {
    endpoints: [
      { id: "e2", lastOkAt: null, lastError: "Connection <refused>" },
      { id: "e1", lastOkAt: at, lastError: null },
    ],
  };
  await openSection("ZOD", "dataendpoint", createDeviceStub({ dataendpoint: servedSection({ endpoints }, { info }) }));
  await expect.element(group("Endpoint E1")).toMatchTextContent(/Last delivery: 20\.11\.2026 08:03/);
  await expect.element(group("Endpoint E2")).toMatchTextContent(/Error: Connection <refused>/);
});

test("SE-07 points are typed, added up to the limit, and removed down to it", { tags: "prove" }, async () => {
  const device = createDeviceStub({
    applications: servedSection(getDefaults(requireSection("PS.C1", "applications"))),
  });
  await openSection("PS.C1", "applications", device);
  const line = group("Line Line 1");
  await expect.element(button("Remove point 1", line)).toHaveAttribute("aria-disabled", "true");
  for (let n = 3; n <= 8; n += 1) await button("Add point", line).click();
  await expect.element(button("Add point", line)).toHaveAttribute("aria-disabled", "true");
  for (let n = 8; n > 3; n -= 1) await button(`Remove point ${n}`, line).click();
  await button("Remove point 1", line).click();
  await expect.element(box("Point 1 x (%)", line)).toHaveValue("90");
  await expect.element(box("Point 1 x (%)", line)).toHaveFocus();
  await box("Point 1 x (%)", line).fill("12.34");
  await userEvent.tab();
  await expect
    .element(box("Point 1 x (%)", line))
    .toHaveAccessibleDescription("Point 1 x (%) must be a number between 0 and 100 with at most one decimal.");
  await box("Point 1 x (%)", line).fill("12,3");
  await button("Add zone").click();
  await box("Name", group("New zone")).fill("Shelf");
  await clickSave();
  await expect
    .poll(() => device.sent)
    .toMatchObject([
      {
        values: {
          lines: [{ id: "l1", points: [{ x: 12.3 }, {}] }],
          zones: [{ id: "z1", name: "Shelf", points: [{}, {}, {}] }],
        },
      },
    ]);
});

test("SE-07 counting without a line, and zones whose edges cross", { tags: "prove" }, async () => {
  const device = createDeviceStub({ applications: servedSection(validValues("PS.C1", "applications")) });
  await openSection("PS.C1", "applications", device);
  await button("Remove Line 1").click();
  const zone = group("Zone Shelf");
  await button("Add point", zone).click();
  const corners = [
    [0, 0],
    [50, 50],
    [50, 0],
    [0, 50],
  ];
  for (const [n, [x, y]] of corners.entries()) {
    await box(`Point ${n + 1} x (%)`, zone).fill(String(x));
    await box(`Point ${n + 1} y (%)`, zone).fill(String(y));
  }
  await clickSave();
  for (const sentence of ["Draw at least one line.", "The edges of Shelf cross."])
    await expect.element(page.getByRole("alert").getByRole("link", { name: sentence })).toBeVisible();
  await expect.element(page.getByRole("region", { name: "Lines" }).getByText("Draw at least one line.")).toBeVisible();
  await expect.element(zone.getByText("The edges of Shelf cross.")).toBeVisible();
  expect(device.sent).toEqual([]);
});

async function openDrawing() {
  const device = createDeviceStub({ applications: servedSection(validValues("PS.C1", "applications")) });
  const picture = {
    id: "c1",
    name: "Ceiling",
    state: "ok",
    width: 640,
    height: 480,
    jpeg: await redSquare("image/jpeg"),
  };
  const { answer } = device;
  device.answer = (body) =>
    (body as { method: string }).method === "preview.get"
      ? { status: 200, body: { jsonrpc: "2.0", id: 1, result: { at: Date.UTC(2026, 10, 20), cameras: [picture] } } }
      : answer(body);
  await openSection("PS.C1", "applications", device);
  await expect.element(lines().getByRole("img", { name: "Camera Ceiling", exact: true })).toBeVisible();
  return device;
}
const lines = () => page.getByRole("region", { name: "Lines" });
const canvas = () => lines().getByRole("application", { name: "Lines and zones on the picture" });
const handle = (name: string, n: number) =>
  canvas().getByRole("button", { name: new RegExp(`^${name}, point ${n}, `) });

test(
  "SE-07 lines and zones are edited on the picture by dragging, arrow keys and Swap",
  { tags: "prove" },
  async () => {
    const device = await openDrawing();
    const line = group("Line Line 1");
    await box("Name", line).click();
    await expect.element(page.getByText(/^Line Line 1: drag its points/)).toBeVisible();
    const { width, height } = canvas().element().getBoundingClientRect();
    await userEvent.dragAndDrop(handle("Line Line 1", 1), canvas(), {
      targetPosition: { x: width * 0.2, y: height * 0.3 },
    });
    const dragged = () =>
      (["x", "y"] as const).map((axis) =>
        Number((box(`Point 1 ${axis} (%)`, line).element() as HTMLInputElement).value),
      );
    await expect.poll(() => dragged().map((percent) => Math.round(percent))).toEqual([20, 30]);
    const [x = 0, y = 0] = dragged();
    await expect.element(handle("Line Line 1", 1)).toHaveFocus();
    await userEvent.keyboard("{ArrowRight}{Shift>}{ArrowDown}{/Shift}");
    await button("Swap").click();
    await expect.element(choice("In is", line)).toHaveTextContent("Right");
    await box("Name", group("Zone Shelf")).click();
    await expect.element(page.getByText(/^Zone Shelf: drag its points/)).toBeVisible();
    (handle("Zone Shelf", 3).element() as HTMLElement).focus();
    await userEvent.keyboard("{Enter}");
    await expect.element(box("Point 4 x (%)", group("Zone Shelf"))).toBeVisible();
    await clickSave();
    await expect.poll(() => device.sent).toHaveLength(1);
    const tenth = (percent: number) => Math.round(percent * 10) / 10;
    expect(device.sent).toMatchObject([
      {
        values: {
          lines: [
            {
              id: "l1",
              points: [
                { x: tenth(x + 0.5), y: tenth(y + 5) },
                { x: 90, y: 50 },
              ],
              inSide: "right",
            },
          ],
          zones: [{ id: "z1", points: [{}, {}, {}, {}] }],
        },
      },
    ]);
  },
);

test.each(
  everyNth(3, [
    ["is emptied", ""],
    ["is no number yet", "7,"],
    ["lies outside the picture", "700"],
  ]),
)("SE-07 a coordinate that %s to be typed again is not lost by what is done in the picture", async (_case, typed) => {
  const device = await openDrawing();
  const line = group("Line Line 1");
  await expect.element(handle("Line Line 1", 1)).toBeVisible();
  await box("Point 2 x (%)", line).fill(typed);
  // The line is drawn, but can't be edited on the picture.
  await expect
    .element(page.getByText("Line Line 1 has invalid points. Correct them in the fields below to edit it here."))
    .toBeVisible();
  await expect.element(canvas().getByText("Line 1", { exact: true })).toBeVisible();
  expect(
    canvas()
      .getByRole("button", { name: /^Line Line 1/ })
      .elements(),
  ).toEqual([]);
  const { width, height } = canvas().element().getBoundingClientRect();
  await canvas().click({ position: { x: width * 0.95, y: height * 0.95 } });
  await expect.element(box("Point 2 x (%)", line)).toHaveValue(typed);
  expect(box("Point 3 x (%)", line).elements()).toEqual([]);
  await box("Point 2 x (%)", line).fill("70");
  await expect.element(handle("Line Line 1", 2)).toHaveAccessibleName("Line Line 1, point 2, x 70.0 %, y 50.0 %");
  await clickSave();
  await expect
    .poll(() => device.sent)
    .toMatchObject([
      {
        values: {
          lines: [
            {
              points: [
                { x: 10, y: 50 },
                { x: 70, y: 50 },
              ],
            },
          ],
        },
      },
    ]);
});

const madeUp: Section = {
  key: "gps",
  segment: "gps",
  label: "Doors",
  parts: [
    { kind: "switch", path: "door.watched", label: "Watch doors", default: true },
    { kind: "number", path: "door.openS", label: "Open for (s)", min: 1, max: 9, decimals: 1, default: 2.5 },
    {
      kind: "choice",
      path: "door.side",
      label: "Side",
      options: [
        { value: 1, label: "Left" },
        { value: 2, label: "Right" },
      ],
      default: 1,
    },
    { kind: "text", path: "note", label: "Note", max: 5, required: false, default: "" },
    { kind: "hosts", path: "to", label: "Tell", max: 2, sentence: "No.", be: (host) => host !== "x", default: [] },
  ],
  facts: [{ path: "doors", label: "Doors found", kind: "number" }],
};

test(
  "SE-06 a section of five fields costs its description: entry, page, faults and saving come with it",
  { tags: "prove" },
  async () => {
    sectionsOf.ZOD = ZOD.map((section) => (section.key === "gps" ? madeUp : section));
    const device = createDeviceStub({ gps: servedSection(getDefaults(madeUp), { info: { doors: 2 } }) });
    await openSection("ZOD", "gps", device);
    await expect
      .element(page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name: "Doors" }))
      .toHaveAttribute("aria-current", "page");
    await expect.element(page.getByRole("main")).toMatchTextContent(/Doors found: 2/);
    await toggle("Watch doors").click();
    await expect.element(box("Open for (s)")).toHaveValue("2.5");
    await box("Open for (s)").fill("9.5");
    await choose(choice("Side"), "Right");
    await box("Note").fill("123456");
    await box("Tell").fill("a, x");
    await clickSave();
    const alert = page.getByRole("alert");
    for (const sentence of [
      "Open for (s) must be a number between 1 and 9 with at most one decimal.",
      "Note may have at most 5 characters.",
      "No.",
    ])
      await expect.element(alert.getByRole("link", { name: sentence, exact: true })).toBeVisible();
    await box("Open for (s)").fill("4");
    await box("Note").fill(" ok ");
    await box("Tell").fill("a,, b ,");
    await clickSave();
    await expect
      .poll(() => device.sent)
      .toEqual([
        {
          section: "gps",
          rev: 3,
          values: { door: { watched: false, openS: 4, side: 2 }, note: "ok", to: ["a", "b"] },
        },
      ]);
  },
);
