// Tests saving a section, with confirmations and with refusals by server and sensor. Input must be kept.
import { validValues } from "@psp/contract/section/section.testing.ts";
import { itemsAt, withValueAt } from "@psp/contract/section/values.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { StubbedResponse } from "../testing/console.tsx";
import { ids } from "../sensor/sensor.testing.ts";
import {
  box,
  button,
  choose,
  choice,
  createDeviceStub,
  failureResponse,
  openSection,
  refusalResponse,
  clickSave,
  secret,
  servedSection,
  toggle,
} from "./section.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const dialog = () => page.getByRole("alertdialog");
const psp = (facts: Partial<ServedSection> = {}) =>
  createDeviceStub({ psp: servedSection(validValues("ZOD", "psp"), facts) });
const measurement = () => createDeviceStub({ measurement: servedSection(validValues("ZOD", "measurement")) });
const smoothing = () => box("Smoothing (s)");

test("SE-06 saving a wrong value shows the error at the field and in the summary", async () => {
  const device = measurement();
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("121");
  await clickSave();
  const sentence = "Smoothing (s) must be a whole number between 0 and 120.";
  await expect.element(page.getByRole("alert").getByRole("link", { name: sentence })).toBeVisible();
  await expect.element(smoothing()).toHaveAccessibleDescription(sentence);
  await expect.element(smoothing()).toHaveFocus();
  await smoothing().fill("120");
  await expect.element(page.getByText(sentence)).not.toBeInTheDocument();
  await clickSave();
  await expect.poll(() => device.sent).toMatchObject([{ values: { smoothingS: 120 } }]);
});

test("SE-06 Save and Discard are disabled without a change; Discard restores the sensor's values", async () => {
  await openSection("ZOD", "measurement", measurement());
  for (const name of ["Save", "Discard"]) {
    await expect.element(button(name)).toHaveAttribute("aria-disabled", "true");
    await expect.element(button(name)).toHaveAccessibleDescription("No unsaved changes");
  }
  await smoothing().fill("11");
  await expect.element(page.getByText("Unsaved changes: Smoothing (s)")).toBeVisible();
  await expect.element(button("Save")).not.toHaveAttribute("aria-disabled", "true");
  await button("Discard").click();
  await expect.element(smoothing()).toHaveValue("10");
  await expect.element(button("Save")).toHaveAttribute("aria-disabled", "true");
});

test(
  "SE-06 PS.Connect off asks when it is saved; Cancel sends nothing and keeps the entry",
  { tags: "prove" },
  async () => {
    const device = psp();
    await openSection("ZOD", "psp", device);
    await toggle("Remote access (PS.Connect)").click();
    expect(dialog().elements()).toEqual([]);
    await clickSave();
    await expect.element(dialog().getByText("You will not be able to switch it on again from here.")).toBeVisible();
    await button("Cancel", dialog()).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(toggle("Remote access (PS.Connect)")).not.toBeChecked();
    expect(device.sent).toEqual([]);
    await clickSave();
    await button("Switch off", dialog()).click();
    await expect.poll(() => device.sent).toMatchObject([{ values: { psconnect: false } }]);
  },
);

test("SE-06 a change that may cut the connection is applied only when that was agreed to", async () => {
  const device = psp();
  await openSection("ZOD", "psp", device);
  await box("Server address").fill("other.example.com:8883");
  await clickSave();
  await expect
    .element(dialog().getByText("If the sensor does not come back within 60 s it returns to its present settings."))
    .toBeVisible();
  await button("Cancel", dialog()).click();
  await expect.element(dialog()).not.toBeInTheDocument();
  await expect.element(box("Server address")).toHaveValue("other.example.com:8883");
  expect(device.sent).toEqual([]);
  await box("Server address").fill("sensors.example.com:8883");
  await box("Keep undelivered data (days)").fill("31");
  await clickSave();
  await expect.poll(() => device.sent).toMatchObject([{ values: { bufferDays: 31 } }]);
});

test("SE-06 what the server finds wrong is said at the field and on top", async () => {
  const device = measurement();
  device.refusals = [
    failureResponse(400, 102, "An invalid argument was given.", {
      fields: [{ path: "smoothingS", message: "Smoothing (s) must be a whole number between 0 and 100." }],
    }),
  ];
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("110");
  await clickSave();
  const sentence = "Smoothing (s) must be a whole number between 0 and 100.";
  await expect.element(smoothing()).toHaveAccessibleDescription(sentence);
  await expect.element(page.getByRole("alert").getByRole("link", { name: sentence })).toBeVisible();
  await expect.element(smoothing()).toHaveValue("110");
  await smoothing().fill("90");
  await expect.element(page.getByText(sentence)).not.toBeInTheDocument();
  await clickSave();
  await expect.poll(() => device.sent).toHaveLength(2);
});

test(
  "SE-07 what the device finds wrong is said as its own words, as text, at most 200 characters of them",
  { tags: "prove" },
  async () => {
    const device = createDeviceStub({ network: servedSection(validValues("PS.C1", "network")) });
    const [used, long] = ["This address is already in use.", `<b>no</b>${"x".repeat(300)}`];
    device.refusals = [
      refusalResponse(-32_602, "Invalid params", [
        { path: "address", message: used },
        { path: "hostname", message: long },
        { path: "gateway", message: " " },
        { path: "elsewhere.0", message: "Not on this page." },
      ]),
    ];
    await openSection("PS.C1", "network", device);
    await box("IP address").fill("192.168.7.250");
    await clickSave();
    await button("Apply", dialog()).click();
    await expect.element(box("IP address")).toHaveAccessibleDescription(`Sensor: ${used}`);
    await expect.element(box("Host name")).toHaveAccessibleDescription(`Sensor: ${long.slice(0, 200)}`);
    await expect.element(box("Gateway")).toHaveAccessibleDescription("The sensor's response can't be read.");
    await expect.element(page.getByRole("alert").getByText("Sensor: Not on this page.")).toBeVisible();
    expect(page.getByRole("alert").getByRole("link").elements()).toHaveLength(3);
    await expect.element(box("IP address")).toHaveValue("192.168.7.250");
  },
);

test.each<[string, StubbedResponse, string]>(
  everyNth(3, [
    ["busy", refusalResponse(-32_001, "busy"), "The sensor is busy. Try again."],
    ["without a license", refusalResponse(-32_004, "No license for dwell time."), "Sensor: No license for dwell time."],
    ["that gives no reason", refusalResponse(-32_004, ""), "The sensor's response can't be read."],
    ["of an old firmware", refusalResponse(-32_601, "?"), "The installed firmware does not know this setting."],
    ["that refuses without a field", refusalResponse(-32_602, "Not like this."), "Sensor: Not like this."],
    [
      "that does not answer",
      failureResponse(504, 504, "Forwarding RPC failed (measurement)"),
      "Forwarding RPC failed (measurement)",
    ],
    ["that is gone", failureResponse(502, 509, "Com-link error (sensor)"), "Com-link error (sensor)"],
  ]),
)("SE-06 a sensor %s: its sentence, and the entries stay", async (_, answer, sentence) => {
  const device = measurement();
  device.refusals = [answer];
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("12");
  await clickSave();
  await expect.element(page.getByRole("alert").getByText(sentence)).toBeVisible();
  await expect.element(smoothing()).toHaveValue("12");
  await clickSave();
  await expect.poll(() => device.sent).toHaveLength(2);
  await expect.element(button("Discard")).toHaveAttribute("aria-disabled", "true");
  await expect.element(page.getByText(sentence)).not.toBeInTheDocument();
});

test("SE-06 somebody else saved first: Load new values shows theirs", async () => {
  const device = measurement();
  device.refusals = [refusalResponse(-32_002, "other rev")];
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("12");
  device.has["measurement"] = servedSection({ ...validValues("ZOD", "measurement"), smoothingS: 99 }, { rev: 7 });
  await clickSave();
  await expect.element(dialog().getByText("The configuration was changed meanwhile.")).toBeVisible();
  await button("Load new values", dialog()).click();
  await expect.element(smoothing()).toHaveValue("99");
  expect(device.sent).toHaveLength(1);
});

test(
  "SE-06 somebody else saved first: Cancel keeps the entries, Overwrite saves them over the others'",
  { tags: "prove" },
  async () => {
    const device = measurement();
    device.refusals = [refusalResponse(-32_002, "other rev"), refusalResponse(-32_002, "other rev")];
    await openSection("ZOD", "measurement", device);
    await smoothing().fill("12");
    await clickSave();
    await button("Cancel", dialog()).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(smoothing()).toHaveValue("12");
    device.has["measurement"] = servedSection({ ...validValues("ZOD", "measurement"), smoothingS: 99 }, { rev: 7 });
    await clickSave();
    await button("Overwrite", dialog()).click();
    await expect.poll(() => device.sent.at(-1)).toMatchObject({ rev: 7, values: { smoothingS: 12 } });
    await expect.element(smoothing()).toHaveValue("12");
    await expect.element(button("Discard")).toHaveAttribute("aria-disabled", "true");
  },
);

test("SE-06 Overwrite saves what was changed here; what others changed beside it stays", async () => {
  const device = createDeviceStub({ group: servedSection(validValues("ZOD", "group")) });
  device.refusals = [refusalResponse(-32_002, "other rev")];
  await openSection("ZOD", "group", device);
  await box("Vehicle ID").fill("mine");
  const theirs = withValueAt(validValues("ZOD", "group"), "coach.name", "Theirs");
  const levels = [...itemsAt(theirs, "levels"), { id: "l9", name: "Roof" }];
  device.has["group"] = servedSection(withValueAt(theirs, "levels", levels), { rev: 7 });
  await clickSave();
  await button("Overwrite", dialog()).click();
  await expect
    .poll(() => device.sent.at(-1))
    .toMatchObject({ rev: 7, values: { coach: { name: "Theirs", vehicleId: "mine" }, levels } });
  await expect.element(box("Coach name")).toHaveValue("Theirs");
  await expect.element(button("Discard")).toHaveAttribute("aria-disabled", "true");
});

test("SE-06 Overwrite asks what Save asks, of the values that are there by then", { tags: "prove" }, async () => {
  const device = psp();
  const theirs = (rev: number, broker: string) => servedSection({ ...validValues("ZOD", "psp"), broker }, { rev });
  const apply = () => button("Apply", dialog());
  device.refusals = [refusalResponse(-32_002, "other rev")];
  await openSection("ZOD", "psp", device);
  // Overwrite keeps connection settings that another user has changed, and asks for no confirmation of them.
  await box("Keep undelivered data (days)").fill("31");
  device.has["psp"] = theirs(7, "theirs.example.com:8883");
  await clickSave();
  await button("Overwrite", dialog()).click();
  await expect
    .poll(() => device.sent.at(-1))
    .toMatchObject({ rev: 7, values: { broker: "theirs.example.com:8883", bufferDays: 31 } });
  await expect.element(button("Discard")).toHaveAttribute("aria-disabled", "true");

  device.refusals = [refusalResponse(-32_002, "other rev")];
  await box("Server address").fill("mine.example.com:8883");
  await toggle("Remote access (PS.Connect)").click();
  await clickSave();
  await button("Switch off", dialog()).click();
  device.has["psp"] = theirs(9, "newest.example.com:8883");
  await apply().click();
  await button("Overwrite", dialog()).click();
  await button("Switch off", dialog()).click();
  await expect.element(apply()).toBeVisible();
  expect(device.sent).toHaveLength(3);
  await button("Cancel", dialog()).click();
  await expect.element(dialog()).not.toBeInTheDocument();
  // The input is kept. The next attempt asks again, and uses the values that were read last.
  await clickSave();
  await button("Switch off", dialog()).click();
  await apply().click();
  await expect
    .poll(() => device.sent.at(-1))
    .toMatchObject({ rev: 9, values: { broker: "mine.example.com:8883", psconnect: false } });
});

test("SE-06 Overwrite judges what comes of it, and says at the field what is wrong", { tags: "prove" }, async () => {
  const values = validValues("PS.C1", "applications");
  const device = createDeviceStub({ applications: servedSection(values) });
  device.refusals = [refusalResponse(-32_002, "other rev")];
  await openSection("PS.C1", "applications", device);
  await box("Child below (cm)").fill("90");
  device.has["applications"] = servedSection(withValueAt(values, "counting.minHeightCm", 100), { rev: 7 });
  await clickSave();
  await button("Overwrite", dialog()).click();
  const sentence = "Child below must be greater than the smallest person.";
  await expect.element(page.getByRole("alert").getByRole("link", { name: sentence })).toBeVisible();
  await expect.element(box("Child below (cm)")).toHaveAccessibleDescription(new RegExp(sentence));
  await expect.element(box("Smallest person (cm)")).toHaveValue("100");
  expect(device.sent).toHaveLength(1);
  await box("Child below (cm)").fill("120");
  await clickSave();
  await expect.poll(() => device.sent.at(-1)).toMatchObject({ rev: 7, values: { counting: { childBelowCm: 120 } } });
});

test("SE-06 Overwrite of what others changed to the same sends nothing more", { tags: "prove" }, async () => {
  const device = measurement();
  device.refusals = [refusalResponse(-32_002, "other rev")];
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("12");
  device.has["measurement"] = servedSection({ ...validValues("ZOD", "measurement"), smoothingS: 12 }, { rev: 7 });
  await clickSave();
  await button("Overwrite", dialog()).click();
  await expect.element(page.getByText("No unsaved changes")).toBeVisible();
  await expect.element(smoothing()).toHaveValue("12");
  expect(device.sent).toHaveLength(1);
});

test("SE-06 somebody else saved first: where their values can't be read, that is said and the entries stay", async () => {
  const device = measurement();
  const { answer } = device;
  device.refusals = [refusalResponse(-32_002, "other rev")];
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("12");
  await clickSave();
  await expect.element(dialog()).toBeVisible();
  device.answer = () => failureResponse(504, 504, "Forwarding RPC failed (measurement)");
  await button("Load new values", dialog()).click();
  const alert = page.getByRole("alert").filter({ hasText: "The configuration could not be loaded." });
  await expect.element(alert.getByText("Forwarding RPC failed (measurement)")).toBeVisible();
  await expect.element(smoothing()).toHaveValue("12");
  expect(JSON.stringify(sessionStorage)).toContain('\\"smoothingS\\":12');
  device.answer = answer;
  await clickSave();
  await expect.poll(() => device.sent).toHaveLength(2);
});

test("SE-06 Save without a change sends nothing", async () => {
  const device = measurement();
  await openSection("ZOD", "measurement", device);
  await button("Save").click({ force: true });
  await expect.element(page.getByRole("status").getByText("No unsaved changes")).toBeVisible();
  await smoothing().fill("12");
  await clickSave();
  await expect.poll(() => device.sent).toMatchObject([{ rev: 3, values: { smoothingS: 12 } }]);
});

test("SE-07 passwords: never shown, cleared by their button, and nowhere in the browser's storage", async () => {
  const values = { ...validValues("PS.C1", "security"), editPasswordSet: true, viewPasswordSet: false };
  const device = createDeviceStub({ security: servedSection({ ...values }) });
  device.has["security"] = servedSection(
    Object.fromEntries(Object.entries(values).filter(([name]) => !["editPassword", "viewPassword"].includes(name))),
  );
  await openSection("PS.C1", "security", device);
  const [edit, view] = ["Password of user-role-edit", "Password of user-role-view"];
  await expect.element(secret(edit)).toHaveValue("");
  await expect.element(secret(edit)).toHaveAccessibleDescription("Set. Leave empty to keep it.");
  expect(button(`Clear ${view}`).elements()).toEqual([]);
  await secret(view).fill("a secret of mine");
  await box("HTTPS port").fill("444");
  await button(`Clear ${edit}`).click();
  await expect.element(secret(edit)).toHaveAccessibleDescription("Will be removed when you save");
  await expect.poll(() => JSON.stringify(sessionStorage)).toContain("444");
  expect(JSON.stringify(sessionStorage) + JSON.stringify(localStorage)).not.toContain("a secret of mine");
  await clickSave();
  await expect.poll(() => device.sent).toHaveLength(1);
  const { values: sent } = device.sent[0] as { values: Record<string, unknown> };
  expect(sent).toEqual({
    localPage: true,
    localHttpsPort: 444,
    editPassword: null,
    viewPassword: "a secret of mine",
    psconnect: true,
  });
  await expect.element(secret(view)).toHaveValue("");
  await expect.element(button(`Clear ${view}`)).toBeVisible();
  expect(button(`Clear ${edit}`).elements()).toEqual([]);
});

test("SE-07 the two passwords of the device must differ, and some ports are reserved", async () => {
  const device = createDeviceStub({
    security: servedSection({ localPage: true, localHttpsPort: 443, psconnect: true }),
  });
  await openSection("PS.C1", "security", device);
  await secret("Password of user-role-edit").fill("the same for both");
  await secret("Password of user-role-view").fill("the same for both");
  await box("HTTPS port").fill("8883");
  await clickSave();
  await expect
    .element(secret("Password of user-role-view"))
    .toHaveAccessibleDescription("The two passwords must differ.");
  await expect.element(box("HTTPS port")).toHaveAccessibleDescription("This port is reserved.");
  expect(device.sent).toEqual([]);
});

test(
  "SE-07 fields that do not apply are hidden and not judged, but keep what was typed and are sent",
  { tags: "prove" },
  async () => {
    const device = createDeviceStub({ network: servedSection(validValues("PS.C1", "network")) });
    await openSection("PS.C1", "network", device);
    await box("IP address").fill("10.0.0.300");
    await box("Prefix length").fill("none");
    await choose(choice("Address assignment"), "DHCP");
    expect(box("IP address").elements()).toEqual([]);
    await choose(choice("Address assignment"), "Static");
    await expect.element(box("IP address")).toHaveValue("10.0.0.300");
    await choose(choice("Address assignment"), "DHCP");
    await clickSave();
    await button("Apply", dialog()).click();
    await expect
      .poll(() => device.sent)
      .toMatchObject([{ values: { mode: "dhcp", address: "10.0.0.300", prefix: 24 } }]);
  },
);

test("SE-06 GPS: without recording the rest is off", { tags: "prove" }, async () => {
  await openSection(
    "ZOD",
    "gps",
    createDeviceStub({ gps: servedSection(validValues("ZOD", "gps"), { info: { antenna: "open" } }) }),
  );
  await expect.element(page.getByText("Antenna", { exact: true })).toBeVisible();
  await expect.element(page.getByRole("main")).toMatchTextContent(/Antenna: open/);
  expect(box("UDP port").elements()).toEqual([]);
  await choose(choice("Source"), "NMEA over UDP");
  await expect.element(box("UDP port")).toHaveValue("10110");
  await toggle("Record position").click();
  await expect.element(box("Every (s)")).toBeDisabled();
  expect(box("UDP port").elements()).toEqual([]);
});

test(
  "SE-06 leaving asks; kept drafts are restored without passwords, discarded ones deleted",
  { tags: "prove" },
  async () => {
    const device = createDeviceStub({
      dataendpoint: servedSection({
        endpoints: [{ id: "e1", name: "BI", enabled: true, url: "https://in.example.com", username: "us" }],
      }),
      measurement: servedSection(validValues("ZOD", "measurement")),
    });
    const { address } = await openSection("ZOD", "dataendpoint", device);
    const menu = page.getByRole("navigation", { name: ids.sensor });
    await box("Name").fill("Trains");
    await secret("Password").fill("a secret of mine");
    await menu.getByRole("link", { name: "Measurement" }).click();
    await expect.element(dialog().getByText(/Passwords are not kept\.$/)).toBeVisible();
    await button("Keep editing", dialog()).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(secret("Password")).toHaveValue("a secret of mine");
    await menu.getByRole("link", { name: "Measurement" }).click();
    await button("Keep for later", dialog()).click();
    await expect.poll(address).toMatch(/measurement$/);
    await expect.element(smoothing()).toBeVisible();
    await menu.getByRole("link", { name: "Data endpoints" }).click();
    await expect.element(box("Name")).toHaveValue("Trains");
    await expect.element(secret("Password")).toHaveValue("");
    await expect.element(page.getByText("Unsaved changes restored")).toBeVisible();
    await menu.getByRole("link", { name: "Measurement" }).click();
    await button("Discard changes", dialog()).click();
    await menu.getByRole("link", { name: "Data endpoints" }).click();
    await expect.element(box("Name")).toHaveValue("BI");
  },
);

test("SE-06 a password alone can't be kept for later", async () => {
  const device = createDeviceStub({
    dataendpoint: servedSection({
      endpoints: [{ id: "e1", name: "BI", enabled: true, url: "https://in.example.com", username: "us" }],
    }),
  });
  await openSection("ZOD", "dataendpoint", device);
  await secret("Password").fill("a secret of mine");
  await userEvent.tab();
  await page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name: "General" }).click();
  await expect.element(button("Discard changes", dialog())).toBeVisible();
  expect(button("Keep for later", dialog()).elements()).toEqual([]);
});
