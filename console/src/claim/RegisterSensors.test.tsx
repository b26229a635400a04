// The registration screens: typing, links, and their end, with every sentence (CL-02, CL-03).
import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { appearance, shownFor } from "../testing/shown.ts";
import { inTestTime, pass } from "../testing/time.ts";
import { typeInto } from "../testing/type.ts";
import { notFound } from "../testing/console.tsx";
import { claimed, openRegister, sensor } from "./claim.testing.ts";

const alertWith = (text: string) => page.getByRole("main").getByRole("alert").filter({ hasText: text });
const field = () => page.getByRole("textbox", { name: "Registration code" });

afterEach(() => {
  vi.useRealTimers();
});

test("CL-02 the eighth character sends the code; success is shown for two seconds and the field is empty again", async () => {
  const asked: unknown[] = [];
  await openRegister("?mode=type", {
    "GET /api/claim/K7MPQ2XA": { status: 200, body: sensor },
    "POST /api/claim/": (sent) => {
      asked.push(sent);
      return claimed(sensor.id);
    },
  });
  await userEvent.type(field(), "k7mpq2x");
  expect(asked).toEqual([]);
  vi.useFakeTimers(inTestTime);
  const success = `Registered sensor with ID "${sensor.id}"`;
  const shown = shownFor(success);
  typeInto(field().element(), "K7MPQ2Xa");
  await expect.element(alertWith(success)).toBeVisible();
  await pass(3000);
  expect(await shown).toBeGreaterThan(1700);
  expect(await shown).toBeLessThan(2300);
  expect(asked).toEqual([{ sensors: [{ ...sensor, claimingCode: "K7MPQ2XA" }] }]);
  await expect.element(field()).toHaveValue("");
  await expect.element(page.getByRole("row", { name: /K7MPQ2XA.*Registered$/ })).toBeVisible();
});

test("CL-02 fewer characters show the invalid alert without a call, by Enter and by button", async () => {
  let calls = 0;
  const count = () => {
    calls += 1;
    return notFound;
  };
  await openRegister("?mode=type", { "GET /api/claim/K7MPQ2X": count, "GET /api/claim/": count });
  const text = "The entered code is invalid or the sensor is already registered to another account.";
  const byEnter = appearance(alertWith(text));
  await userEvent.type(field(), "K7MPQ2X{Enter}");
  await byEnter;
  await expect.element(alertWith(text)).not.toBeInTheDocument();
  const byButton = appearance(alertWith(text));
  await page.getByRole("button", { name: "Register", exact: true }).click();
  await byButton;
  expect(calls).toBe(0);
});

test("CL-02 an unknown code and a refused claim have their own sentences", async () => {
  await openRegister("?mode=type", {
    "GET /api/claim/K7MPQ2XA": { status: 200, body: sensor },
    "GET /api/claim/ZZZZ2222": notFound,
    "POST /api/claim/": notFound,
  });
  const unknown = appearance(
    alertWith("The entered code is invalid or the sensor is already registered to another account."),
  );
  await userEvent.type(field(), "ZZZZ2222");
  await unknown;
  await userEvent.clear(field());
  const refused = appearance(
    alertWith(`Failed to register Sensor with ID "${sensor.id}". Maybe it is already registered.`),
  );
  await userEvent.type(field(), "K7MPQ2XA");
  await refused;
});

test("CL-02 after too many wrong codes people read how long to wait", async () => {
  const body = { code: 306, error: "No permission.", details: { retryAfter: 3000 } };
  await openRegister("?mode=type", { "GET /api/claim/K7MPQ2XA": { status: 429, body } });
  await userEvent.type(field(), "K7MPQ2XA");
  await expect
    .element(page.getByText("For 50 minutes no code is accepted from your account, right ones included."))
    .toBeVisible();
});

test("CL-03 codes of the address are claimed at once: one row each in the order given, invalid ones included", async () => {
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
    "POST /api/claim/": claimed(sensor.id),
  });
  await expect.element(alertWith("The registration failed. No connection to server.")).toBeVisible();
  there = true;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.element(page.getByText("Registered", { exact: true })).toBeVisible();
});

test("CL-03 checkout shows what was registered, success ends it; both without header", async () => {
  const answers = {
    "GET /api/claim/AAAA2222": { status: 200, body: sensor },
    "POST /api/claim/": claimed(sensor.id),
  };
  const { address } = await openRegister("?code=AAAA2222", answers);
  await expect.element(page.getByRole("banner")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect.element(page.getByRole("heading", { name: "Check your sensors" })).toBeVisible();
  expect(address()).toBe("/sensor/register/checkout");
  await expect.element(page.getByRole("banner")).not.toBeInTheDocument();
  await expect.element(page.getByRole("row", { name: /AAAA2222/ })).toBeVisible();
  await page.getByRole("button", { name: "Finish" }).click();
  await expect.element(page.getByRole("heading", { name: "Registration complete" })).toBeVisible();
  expect(address()).toBe("/sensor/register/success");
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
