// Tests every section of ZOD and PS.C1. Each field is displayed, edited and sent, and shows its messages for invalid values.
import { isList, type Field, type Section, type Values } from "@psp/contract/section/field.ts";
import { sectionsOf } from "@psp/contract/section/sections.ts";
import { makeEndpoint, validValues, requireSection, withChanges } from "@psp/contract/section/section.testing.ts";
import { valueAt, withoutValueAt } from "@psp/contract/section/values.ts";
import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { openSelect } from "../testing/select.ts";
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
  secret,
  servedSection,
  toggle,
} from "./section.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

type Type = "ZOD" | "PS.C1";
const row = { ZOD: "SE-06", "PS.C1": "SE-07" } as const;

const coachCamera = (id: string, name: string): Values => ({
  id,
  name,
  enabled: true,
  sectionId: null,
  rotation: 0,
  heightCm: 220,
});
const more: Record<string, Record<string, unknown>> = {
  "ZOD camera": { cameras: [coachCamera("c1", "Front"), coachCamera("c2", "Rear")] },
  "ZOD gps": { source: "nmea-udp" },
  "ZOD group": {
    levels: [
      { id: "l1", name: "Main" },
      { id: "l2", name: "Upper" },
    ],
  },
};

function deviceValues(type: Type, key: string): Values {
  const values = withChanges(validValues(type, key), more[`${type} ${key}`] ?? {});
  if (key !== "dataendpoint") return values;
  return { endpoints: [{ ...withoutValueAt(makeEndpoint("e1", "BI"), "password"), passwordSet: true }] };
}

const rightText: Record<string, string> = {
  "Vehicle ID": "NB-12",
  Address: "mqtts://in.example.com:8883",
  "Server address": "other.example.com:8884",
  "IP address": "192.168.7.21",
  Gateway: "192.168.7.2",
  "DNS servers": "192.168.7.1, 192.168.7.3",
  "Time servers": "pool.example.com",
  "Host name": "hall-1",
};
const passwords: Record<string, string> = { "Password of user-role-view": "another long one" };

type Place = { field: Field; path: string; title: string | null };

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

function placesOf(section: Section, values: Values): Place[] {
  return section.parts.flatMap((part): Place[] => {
    if (!isList(part)) return [{ field: part, path: part.path, title: null }];
    const items = valueAt(values, part.path) as Values[];
    const first = items[0];
    if (first === undefined) return [];
    const title = `${capital(part.words.one)} ${String(first[part.title])}`;
    return part.fields.map((field) => ({ field, path: `${part.path}.0.${field.path}`, title }));
  });
}
const around = ({ title }: Place): Locator => (title === null ? page.getByRole("main") : group(title));

/** Checks the displayed value and changes it. Returns the values expected in the request, by path. */
async function edit(place: Place, value: unknown): Promise<[path: string, value: unknown][]> {
  const { field, path } = place;
  const at = around(place);
  switch (field.kind) {
    case "switch": {
      const field_ = toggle(field.label, at);
      if (value === true) await expect.element(field_).toBeChecked();
      else await expect.element(field_).not.toBeChecked();
      await field_.click();
      return [[path, value !== true]];
    }
    case "number": {
      await expect.element(box(field.label, at)).toHaveValue(String(value));
      const other = value === field.max ? field.max - 1 : field.max;
      await box(field.label, at).fill(String(other));
      return [[path, other]];
    }
    case "text": {
      await expect.element(box(field.label, at)).toHaveValue(String(value));
      const other = rightText[field.label] ?? `Other ${field.label}`;
      await box(field.label, at).fill(other);
      return [[path, other]];
    }
    case "hosts": {
      await expect.element(box(field.label, at)).toHaveValue((value as string[]).join(", "));
      const other = rightText[field.label] ?? "";
      await box(field.label, at).fill(other);
      return [[path, other.split(", ")]];
    }
    case "choice": {
      const shown = field.options.find((option) => option.value === value);
      const other = field.options.find((option) => option.value !== value);
      await expect.element(choice(field.label, at)).toHaveTextContent(shown?.label ?? "?");
      await choose(choice(field.label, at), other?.label ?? "?");
      return [[path, other?.value]];
    }
    case "reference": {
      // An earlier step has renamed the first level.
      await expect.element(choice(field.label, at)).toHaveTextContent(value === null ? "-" : "Other Name");
      await choose(choice(field.label, at), field.list === "levels" ? "Upper" : "Main");
      return [[path, field.list === "levels" ? "l2" : "s1"]];
    }
    case "secret": {
      const typed = passwords[field.label] ?? "a long password";
      await expect.element(secret(field.label, at)).toHaveValue("");
      await secret(field.label, at).fill(typed);
      return [[path, typed]];
    }
    case "points": {
      for (const [n, { x, y }] of (value as { x: number; y: number }[]).entries()) {
        await expect.element(box(`Point ${n + 1} x (%)`, at)).toHaveValue(String(x));
        await expect.element(box(`Point ${n + 1} y (%)`, at)).toHaveValue(String(y));
      }
      await box("Point 1 x (%)", at).fill("12.5");
      return [[`${path}.0.x`, 12.5]];
    }
  }
}

const all = (["ZOD", "PS.C1"] as const).flatMap((type) =>
  sectionsOf[type].map(({ key }) => [row[type], type, key] as const),
);
/** Edited last, because these fields can hide others. */
const last: readonly Field["kind"][] = ["choice", "reference", "switch"];

/**
 * The short test run edits only these sections. Together they contain every kind of field except points, which
 * SectionLists.test.tsx covers.
 */
const editedInShort = new Set(["ZOD group", "ZOD dataendpoint", "PS.C1 dataendpoint", "PS.C1 network"]);

async function editsAndSends(type: Type, key: string) {
  const section = requireSection(type, key);
  const values = deviceValues(type, key);
  const device = createDeviceStub({
    [key]: servedSection(values),
    ...(key !== "group" && { group: servedSection(validValues("ZOD", "group")) }),
  });
  await openSection(type, key, device);
  const places = placesOf(section, values).toSorted((a, b) => last.indexOf(a.field.kind) - last.indexOf(b.field.kind));
  expect(places.length).toBeGreaterThan(2);
  let sent = withChanges(values, {});
  for (const place of places) {
    const now = withChanges(values, {});
    const value = place.path.split(".").reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], now);
    for (const [path, changed] of await edit(place, value)) sent = withChanges(sent, { [path]: changed });
  }
  await clickSave();
  for (const name of ["Switch off", "Apply"])
    if (
      (name === "Switch off" &&
        places.some(({ field }) => field.kind === "switch" && field.offQuestion !== undefined)) ||
      (name === "Apply" && places.some(({ field }) => field.mark === "confirm"))
    )
      await button(name, page.getByRole("alertdialog")).click();
  if (key === "dataendpoint")
    sent = { endpoints: (sent["endpoints"] as Values[]).map((one) => withoutValueAt(one, "passwordSet")) };
  await expect.poll(() => device.sent).toEqual([{ section: key, values: sent, rev: 3 }]);
  await expect.element(button("Discard")).toHaveAttribute("aria-disabled", "true");
}
for (const [id, type, key] of all)
  test(
    `${id} ${type}, section ${key}: each field by its label with its value, edited, and the whole is sent`,
    { tags: editedInShort.has(`${type} ${key}`) ? [] : "prove" },
    () => editsAndSends(type, key),
  );

const special = "Invalid input. Remove special characters like '<>', '[]', '{}'.";
const wrongForm: Record<string, [string, string]> = {
  "Vehicle ID": ["a b", "Vehicle ID may only contain letters, digits, dot, hyphen and underscore."],
  Address: ["http://in.example.com", "Address must begin with https:// or mqtts://."],
  "Server address": ["example.com", "Server address must be host:port."],
  "IP address": ["192.168.7", "IP address must be an IPv4 address."],
  Gateway: ["gateway", "Gateway must be an IPv4 address."],
  "DNS servers": ["dns.example.com", "DNS servers must be IPv4 addresses."],
  "Time servers": ["-no-", "Time servers must be host names or IPv4 addresses."],
  "Host name": ["-hall", "Host name may only contain letters, digits and hyphens, not at an end."],
};

function wrongOf(field: Field): [typed: string, sentence: string][] {
  const { label } = field;
  switch (field.kind) {
    case "number": {
      const { min, max } = field;
      const sentence = `${label} must be a whole number between ${min} and ${max}.`;
      return [
        ["", `${label} is required.`],
        ...[String(max + 1), String(min - 1), "1.5", "many"].map((typed): [string, string] => [typed, sentence]),
      ];
    }
    case "text":
      return [
        ...(field.required ? [["", `${label} is required.`] as [string, string]] : []),
        ["x".repeat(field.max + 1), `${label} may have at most ${field.max} characters.`],
        ["a<b>", special],
        ...(wrongForm[label] === undefined ? [] : [wrongForm[label]]),
      ];
    case "hosts":
      return wrongForm[label] === undefined ? [] : [wrongForm[label]];
    case "secret":
      return field.min === undefined
        ? [["x".repeat(field.max + 1), `${label} may have at most ${field.max} characters.`]]
        : [["short", `${label} must have between ${field.min} and ${field.max} characters.`]];
    case "points":
    case "switch":
    case "choice":
    case "reference":
      return [];
  }
}

async function saysWhatIsWrong(type: Type, key: string) {
  const values = deviceValues(type, key);
  const device = createDeviceStub({ [key]: servedSection(values), group: servedSection(validValues("ZOD", "group")) });
  device.has[key] = servedSection(values);
  await openSection(type, key, device);
  const places = placesOf(requireSection(type, key), values).filter(({ field }) => wrongOf(field).length > 0);
  expect(places.length).toBeGreaterThan(0);
  for (const place of places) {
    const at = around(place);
    const field = place.field.kind === "secret" ? secret(place.field.label, at) : box(place.field.label, at);
    for (const [typed, sentence] of everyNth(2, wrongOf(place.field))) {
      await field.fill(typed);
      await userEvent.tab();
      await expect.element(field).toHaveAccessibleDescription(sentence);
      await expect.element(field).toHaveAttribute("aria-invalid", "true");
      await expect.element(field).toHaveValue(typed);
    }
  }
  await clickSave();
  const links = page.getByRole("alert").getByRole("link");
  await expect.poll(() => links.elements()).toHaveLength(places.length);
  await links.last().click();
  const { field: lastField } = places.at(-1) as Place;
  const lastPlace = places.at(-1) as Place;
  await expect
    .element(
      lastField.kind === "secret"
        ? secret(lastField.label, around(lastPlace))
        : box(lastField.label, around(lastPlace)),
    )
    .toHaveFocus();
  expect(device.sent).toEqual([]);
}
/** The short test run checks only these sections. Together they contain every kind of invalid field. */
const judgedInShort = new Set(["ZOD dataendpoint", "PS.C1 security", "PS.C1 network"]);
for (const [id, type, key] of all)
  test(
    `${id} ${type}, section ${key}: fields show their errors on blur, and nothing is sent`,
    { tags: judgedInShort.has(`${type} ${key}`) ? [] : "prove" },
    () => saysWhatIsWrong(type, key),
  );

test.each(everyNth(4, all))("%s %s, section %s has its entry in the menu and its address", async (_, type, key) => {
  const { label, segment } = requireSection(type, key);
  const device = createDeviceStub({});
  const { address } = await openSection(type, "dataendpoint", device);
  const entry = page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name: label, exact: true });
  await entry.click();
  await expect.poll(address).toBe(`/sensor/${type === "ZOD" ? "zod" : "psc1"}/${ids.sensor}/${segment}`);
  await expect.element(entry).toHaveAttribute("aria-current", "page");
});

test.each([
  ["ZOD", "measurement", "Sleep after standstill (min)", "0 = never"],
  ["ZOD", "gps", "Only when moved (m)", "0 = always"],
  ["PS.C1", "applications", "Child below (cm)", "0 = no distinction"],
] as const)("of a %s, section %s: %s says what its 0 means", async (type, key, label, hint) => {
  await openSection(type, key, createDeviceStub({ [key]: servedSection(deviceValues(type, key)) }));
  await expect.element(box(label, page)).toHaveAccessibleDescription(hint);
});

test("SE-07 a select that fades out takes no clicks: the switch below moves, and the choice stays", async () => {
  const device = createDeviceStub({ camera: servedSection(deviceValues("PS.C1", "camera")) });
  await openSection("PS.C1", "camera", device);
  await expect.element(toggle("Blur people in previews")).toBeVisible();
  const blurs = toggle("Blur people in previews").element() as HTMLInputElement;
  const before = blurs.checked;
  await openSelect(choice("Mains frequency"));
  const option = page.getByRole("option", { name: "60 Hz", exact: true });
  await expect.element(option).toBeVisible();
  const { left, top, width, height } = blurs.getBoundingClientRect();
  // Clicks without waiting, so that the list is still open at the next click.
  (option.element() as HTMLElement).click();
  await Promise.resolve();
  expect(document.querySelector("[role=listbox]")).not.toBeNull();
  (document.elementFromPoint(left + width / 2, top + height / 2) as HTMLElement).click();
  await clickSave();
  await expect.poll(() => device.sent).toHaveLength(1);
  expect(device.sent[0]).toMatchObject({ values: { mainsHz: 60, blurPreviews: !before } });
});
