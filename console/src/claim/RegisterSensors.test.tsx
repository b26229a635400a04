// Tests the registration pages with stubbed responses (CL-02, CL-03).
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { waitForAppearance, visibleDuration } from "../testing/shown.ts";
import { testTimerOptions, advanceTime } from "../testing/time.ts";
import { typeInto } from "../testing/type.ts";
import { notFound } from "../testing/console.tsx";
import { listResponse, plainLocation } from "../testing/objects.ts";
import { claimedResponse, openRegister, sensor } from "./claim.testing.ts";

const alertWith = (text: string) => page.getByRole("main").getByRole("alert").filter({ hasText: text });
const field = () => page.getByRole("textbox", { name: "Registration code" });

test("CL-02 the eighth character submits; success is shown for two seconds and the field is cleared", async () => {
  const asked: unknown[] = [];
  await openRegister("?mode=type", {
    "GET /api/claim/K7MPQ2XA": { status: 200, body: sensor },
    "POST /api/claim/": (sent) => {
      asked.push(sent);
      return claimedResponse(sensor.id);
    },
  });
  await userEvent.type(field(), "k7mpq2x");
  expect(asked).toEqual([]);
  vi.useFakeTimers(testTimerOptions);
  const success = `Registered sensor with ID "${sensor.id}"`;
  const shown = visibleDuration(success);
  typeInto(field().element(), "K7MPQ2Xa");
  await expect.element(alertWith(success)).toBeVisible();
  await advanceTime(3000);
  expect(await shown).toBeGreaterThan(1700);
  expect(await shown).toBeLessThan(2300);
  expect(asked).toEqual([{ sensors: [{ ...sensor, claimingCode: "K7MPQ2XA" }] }]);
  await expect.element(field()).toHaveValue("");
  await expect.element(page.getByRole("row", { name: /K7MPQ2XA.*Registered$/ })).toBeVisible();
});

test(
  "CL-02 fewer characters show the invalid alert without a call, by Enter and by button",
  { tags: "prove" },
  async () => {
    let calls = 0;
    const count = () => {
      calls += 1;
      return notFound;
    };
    await openRegister("?mode=type", { "GET /api/claim/K7MPQ2X": count, "GET /api/claim/": count });
    const text = "The entered code is invalid or the sensor is already registered to another account.";
    const byEnter = waitForAppearance(alertWith(text));
    await userEvent.type(field(), "K7MPQ2X{Enter}");
    await byEnter;
    await expect.element(alertWith(text)).not.toBeInTheDocument();
    const byButton = waitForAppearance(alertWith(text));
    await page.getByRole("button", { name: "Register", exact: true }).click();
    await byButton;
    expect(calls).toBe(0);
  },
);

test("CL-02 an unknown code and a refused claim have their own sentences", async () => {
  await openRegister("?mode=type", {
    "GET /api/claim/K7MPQ2XA": { status: 200, body: sensor },
    "GET /api/claim/ZZZZ2222": notFound,
    "POST /api/claim/": notFound,
  });
  const unknown = waitForAppearance(
    alertWith("The entered code is invalid or the sensor is already registered to another account."),
  );
  await userEvent.type(field(), "ZZZZ2222");
  await unknown;
  await userEvent.clear(field());
  const refused = waitForAppearance(
    alertWith(`Failed to register Sensor with ID "${sensor.id}". Maybe it is already registered.`),
  );
  await userEvent.type(field(), "K7MPQ2XA");
  await refused;
});

const help = async (text: string | RegExp) => expect.element(field()).toHaveAccessibleDescription(text);

test("CL-02 the field counts code characters only, and keeps a wrong code with advice", async () => {
  await openRegister("?mode=type", { "GET /api/claim/K7MPQ2XA": notFound });
  await help(/^8 characters, printed on the label/);
  await userEvent.type(field(), "k7m");
  await help("3 of 8 characters");
  await userEvent.type(field(), "p-q2 x");
  await help("7 of 8 characters");
  const refused = waitForAppearance(
    alertWith("The entered code is invalid or the sensor is already registered to another account."),
  );
  await userEvent.type(field(), "a");
  await refused;
  await help(/^Compare the code with the label\. Codes never contain 0, 1, I or O\./);
  await expect.element(field()).toHaveValue("K7MP-Q2 XA");
  await expect.element(field()).toHaveFocus();
  await userEvent.type(field(), "{Backspace}");
  await help("7 of 8 characters");
  typeInto(field().element(), "K7MP-Q2XAB");
  await help("9 of 8 characters, 1 too many");
});

test("CL-02 the text of a whole QR code may be pasted; several codes in it are claimed together", async () => {
  const other = { id: "00:16:28:FA:00:02", type: "ZOD" };
  const sent: unknown[] = [];
  await openRegister("?mode=type", {
    "GET /api/claim/K7MPQ2XA": { status: 200, body: sensor },
    "GET /api/claim/AAAA2222": { status: 200, body: other },
    "GET /api/claim/BBBB2222": notFound,
    "POST /api/claim/": (body) => {
      sent.push(body);
      return claimedResponse(sent.length === 1 ? sensor.id : other.id);
    },
  });
  await expect.element(field()).toBeVisible();
  typeInto(field().element(), "https://label.example/sensor/register?code=k7mpq2xa");
  await expect.element(page.getByRole("row", { name: /K7MPQ2XA.*Registered$/ })).toBeVisible();
  expect(sent).toEqual([{ sensors: [{ ...sensor, claimingCode: "K7MPQ2XA" }] }]);
  typeInto(field().element(), "https://label.example/sensor/register?c=AAAA2222&c=BBBB2222");
  await expect.element(page.getByRole("row", { name: /AAAA2222.*Registered$/ })).toBeVisible();
  await expect.element(page.getByRole("row", { name: /BBBB2222.*Registration not possible$/ })).toBeVisible();
  await expect.element(page.getByRole("row", { name: /K7MPQ2XA.*Registered$/ })).toBeVisible();
});

const mine = { me: true };
const ids = { shop: "00000000-0000-7000-8000-000000000101" };
const placer: Permissions = {
  other: { canAssignSensors: mine },
  ownable: {
    sensor: { canViewObject: mine, canCreateObjectFor: mine, canEditObject: mine },
    measurement: { canViewObject: mine, canCreateObjectFor: mine },
  },
};
const owner = { _id: "00000000-0000-7000-8000-000000000001", name: "Northwind", isDeleted: false };
const shop = plainLocation({ _id: ids.shop, name: "Harbour Shop", owner });
const next = () => page.getByRole("region", { name: /registered\. What next\?$/ });
const claiming = {
  "GET /api/claim/AAAA2222": { status: 200, body: sensor },
  "POST /api/claim/": claimedResponse(sensor.id),
};

test("after a claim one goes on: to a location, to the sensor, or to another code", async () => {
  const moved: unknown[] = [];
  const { address } = await openRegister(
    "?mode=type&fromPSControl=true",
    {
      ...claiming,
      "GET /api/v2/measurement": listResponse([shop]),
      "PUT /api/v2/sensor/batch-update": (body) => {
        moved.push(body);
        return { status: 200, body: { success: 1, fail: [] } };
      },
    },
    placer,
  );
  expect(next().elements()).toEqual([]);
  await userEvent.type(field(), "AAAA2222");
  await expect.element(next().getByRole("link", { name: "Open sensor", exact: true })).toBeVisible();
  expect(next().getByRole("link").element().getAttribute("href")).toBe(`/sensor/${sensor.id}`);
  await next().getByRole("button", { name: "Register another" }).click();
  await expect.element(field()).toHaveFocus();
  await next().getByRole("button", { name: "Assign to location" }).click();
  const dialog = page.getByRole("dialog", { name: "Assign 1 sensor to a location" });
  const create = dialog.getByRole("link", { name: "Create location" });
  await expect.element(create).toBeVisible();
  expect(create.element().getAttribute("href")).toBe(`/location/new?sensorID=${sensor.id}`);
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await expect.element(dialog.getByText("Choose a location.")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Location" }).click();
  await page.getByRole("option", { name: /Harbour Shop/ }).click();
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await expect.element(next().getByText("1 sensor assigned to Harbour Shop")).toBeVisible();
  expect(moved).toEqual([{ sensorIDs: [sensor.id], changes: { measID: ids.shop } }]);
  expect(next().getByRole("button", { name: "Assign to location" }).elements()).toEqual([]);
  expect(next().getByRole("link", { name: "Open location" }).element().getAttribute("href")).toBe(
    `/location/${ids.shop}/general`,
  );
  await expect.poll(address).toBe("/sensor/register?mode=type&fromPSControl=true");
});

test("an assignment that was refused says why, and the sensor still waits for its location", async () => {
  await openRegister(
    "?mode=type",
    {
      ...claiming,
      "GET /api/v2/measurement": listResponse([shop]),
      "PUT /api/v2/sensor/batch-update": {
        status: 200,
        body: { success: 0, fail: [{ id: sensor.id, errMessage: "Changed meanwhile." }] },
      },
    },
    placer,
  );
  await userEvent.type(field(), "AAAA2222");
  await next().getByRole("button", { name: "Assign to location" }).click();
  const dialog = page.getByRole("dialog", { name: "Assign 1 sensor to a location" });
  await dialog.getByRole("combobox", { name: "Location" }).click();
  await page.getByRole("option", { name: /Harbour Shop/ }).click();
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await expect.element(dialog.getByText(`Assignment failed. ${sensor.id}: Changed meanwhile.`)).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect.element(next().getByRole("button", { name: "Assign to location" })).toBeVisible();
});

test("several sensors are opened as a list, and assigned together; who may not assign is not offered it", async () => {
  const other = { id: "00:16:28:FA:00:02", type: "ZOD" };
  const both = [sensor, other].map(({ id }) => ({ id, status: "CLAIMED" }));
  await openRegister("?code=AAAA2222&code=BBBB2222", {
    "GET /api/claim/AAAA2222": { status: 200, body: sensor },
    "GET /api/claim/BBBB2222": { status: 200, body: other },
    "POST /api/claim/": { status: 200, body: both },
  });
  const list = next().getByRole("link", { name: "Open sensors", exact: true });
  await expect.element(list).toBeVisible();
  expect(list.element().getAttribute("href")).toBe(`/sensor?ids=${sensor.id}&ids=${other.id}`);
  expect(next().getByRole("button", { name: "Assign to location" }).elements()).toEqual([]);
});

test("CL-02 after too many wrong codes people read how long to wait", async () => {
  const body = { code: 306, error: "No permission.", details: { retryAfter: 3000 } };
  await openRegister("?mode=type", { "GET /api/claim/K7MPQ2XA": { status: 429, body } });
  await userEvent.type(field(), "K7MPQ2XA");
  await expect.element(page.getByText("Too many wrong codes. Try again in 50 minutes.")).toBeVisible();
});

test("CL-03 codes in the URL are claimed at once, one row each in order, including invalid ones", async () => {
  const other = { id: "00:16:28:FA:00:02", type: "ZOD" };
  const sent: unknown[] = [];
  await openRegister("?code=AAAA2222&code=SHORT&code=BBBB2222&code=CCCC2222&code=aaaa2222", {
    "GET /api/claim/AAAA2222": { status: 200, body: sensor },
    "GET /api/claim/BBBB2222": notFound,
    "GET /api/claim/CCCC2222": { status: 200, body: other },
    "POST /api/claim/": (body) => {
      sent.push(body);
      return {
        status: 200,
        body: [
          { id: sensor.id, status: "CLAIMED" },
          { id: other.id, status: "NOT_CLAIMABLE" },
        ],
      };
    },
  });
  await expect.element(page.getByText("Registered", { exact: true })).toBeVisible();
  const table = page.getByRole("table", { name: "Registered sensors" });
  const texts = async (role: "columnheader" | "row") =>
    table
      .getByRole(role)
      .elements()
      .map((one) => one.textContent);
  expect(await texts("columnheader")).toEqual(["Sensor Type", "Sensor ID", "Registration Code", "Status"]);
  expect((await texts("row")).slice(1)).toEqual([
    `APS${sensor.id}AAAA2222Registered`,
    "--SHORTInvalid Registration Code",
    "--BBBB2222Registration not possible",
    `ZOD${other.id}CCCC2222Registration not possible`,
  ]);
  expect(sent).toHaveLength(1);
});

test("CL-03 the table has five rows a page", async () => {
  const codes = Array.from({ length: 7 }, (_, n) => `AAAA222${n + 2}`);
  const unknown = Object.fromEntries(codes.map((code) => [`GET /api/claim/${code}`, notFound]));
  await openRegister(`?${codes.map((code) => `code=${code}`).join("&")}`, unknown);
  const rows = page.getByRole("table", { name: "Registered sensors" }).getByRole("row");
  await expect.poll(() => rows.elements().length).toBe(6);
  await page.getByRole("button", { name: "Next page" }).click();
  await expect.poll(() => rows.elements().map((row) => row.textContent)).toHaveLength(3);
  expect(rows.elements()[2]?.textContent).toContain("AAAA2228");
});

test("CL-03 what could not be asked about is said, and tried again on request", async () => {
  let there = false;
  await openRegister("?code=AAAA2222", {
    "GET /api/claim/AAAA2222": () => (there ? { status: 200, body: sensor } : { status: 0 }),
    "POST /api/claim/": claimedResponse(sensor.id),
  });
  await expect.element(alertWith("Registration failed. No connection to server.")).toBeVisible();
  there = true;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.element(page.getByText("Registered", { exact: true })).toBeVisible();
});

test("CL-03 checkout shows what was registered, success ends it; both without header", async () => {
  const answers = {
    "GET /api/claim/AAAA2222": { status: 200, body: sensor },
    "POST /api/claim/": claimedResponse(sensor.id),
  };
  const { address } = await openRegister("?code=AAAA2222", answers);
  await expect.element(page.getByRole("banner")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect.element(page.getByRole("heading", { name: "Check your sensors" })).toBeVisible();
  await expect.poll(address).toBe("/sensor/register/checkout");
  await expect.element(page.getByRole("banner")).not.toBeInTheDocument();
  await expect.element(page.getByRole("row", { name: /AAAA2222/ })).toBeVisible();
  await page.getByRole("button", { name: "Finish" }).click();
  await expect.element(page.getByRole("heading", { name: "Registration complete" })).toBeVisible();
  await expect.poll(address).toBe("/sensor/register/success");
  await expect.element(page.getByText("1 sensor now belongs to your account.")).toBeVisible();
  await expect.element(page.getByRole("banner")).not.toBeInTheDocument();
});

test("CL-03 without anything registered the last screens say so", async () => {
  for (const end of ["/checkout", "/success"]) {
    const { screen } = await openRegister(end, {});
    await expect.element(page.getByText("No sensors registered yet")).toBeVisible();
    await screen.unmount();
  }
});

test("CL-04 people whose role can't register for themselves are informed, and nothing is asked", async () => {
  let calls = 0;
  const permissions = { ownable: { sensor: { canViewObject: { me: true } } } };
  await openRegister(
    "?code=AAAA2222",
    {
      "GET /api/claim/AAAA2222": () => {
        calls += 1;
        return notFound;
      },
    },
    permissions,
  );
  await expect
    .element(page.getByText("Your role doesn't allow you to register sensors for your account."))
    .toBeVisible();
  expect(calls).toBe(0);
});
