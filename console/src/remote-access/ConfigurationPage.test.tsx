// Tests the card of the device page with stubbed responses: opening, failures, consent and sessions.
import type { RemoteSession } from "@psp/contract/remote-access/remote-access.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import {
  allPermissions,
  ids,
  viewOnlyPermissions,
  sensorApiPath,
  sensorWith,
  createServerStub,
  enabledVpn,
} from "../sensor/sensor.testing.ts";

const token = "remote_0123456789012345678901234567890123456789abc";
const connected: Partial<Sensor> = {
  psconnect: { connectionStatus: "connected", statusChangedAt: "2026-11-20T09:00:00.000Z" },
};
const session = (facts: Partial<RemoteSession> = {}): RemoteSession => ({
  _id: "0190a000-0000-7000-8000-000000000001",
  account: { _id: ids.root, name: "PS Support" },
  mode: "edit",
  reason: "Firmware",
  state: "open",
  startedAt: "2026-11-20T09:00:00.000Z",
  until: "2026-11-20T10:00:00.000Z",
  minutes: 60,
  isOwn: false,
  mayConsent: false,
  ...facts,
});

const psconnect = `POST ${sensorApiPath}/psconnect`;
const list = `GET ${sensorApiPath}/remote-session`;
const card = () => page.getByRole("region", { name: "Sensor configuration page" });
const reads = (words: string) => expect.poll(() => card().element().textContent).toContain(words);
const button = () => card().getByRole("button", { name: "Open configuration page" });
const failed =
  "Auto-login failed. Please try again later or use the link above to open the sensor configuration page without auto-login.";

async function open(answers: StubbedResponses, permissions = allPermissions, facts = connected) {
  await openConsole(`/sensor/aps/${ids.sensor}/firmware`, createServerStub(sensorWith(facts), permissions, answers));
  await expect.element(card()).toBeVisible();
}

function watchWindows(isBlocked = false) {
  const opened: string[] = [];
  vi.spyOn(window, "open").mockImplementation((address) => {
    opened.push(String(address));
    return isBlocked ? null : ({ opener: window } as unknown as Window);
  });
  return opened;
}

test("PC-01 opening asks for a token as the user who may edit, and opens the sensor's host with it", async () => {
  const opened = watchWindows();
  const sent: unknown[] = [];
  const answer = (body: unknown) => (sent.push(body), { status: 200, body: { result: token } });
  await open({ [psconnect]: answer });
  await card().getByRole("textbox", { name: "Reason" }).fill(" Lens ");
  await button().click();
  await expect
    .poll(() => opened)
    .toEqual([`${location.protocol}//020000007a01.devices.localhost:${location.port}/?token=${token}`]);
  const params = { service: "device-hmi", user: "user-role-edit", reason: "Lens", minutes: 60 };
  expect(sent).toEqual([{ func: "getAutoLoginToken", params }]);
});

test("PC-01 who may not edit asks as the user who may only look, and reads so before", async () => {
  watchWindows();
  const sent: { params: { user: string } }[] = [];
  const answer = (body: unknown) => (sent.push(body as never), { status: 200, body: { result: token } });
  await open({ [psconnect]: answer }, viewOnlyPermissions);
  await reads("its page opens read-only");
  await button().click();
  await expect.poll(() => sent.map(({ params }) => params.user)).toEqual(["user-role-view"]);
});

test("PC-01 a failed auto-login says so for five seconds", async () => {
  await open({ [psconnect]: { status: 502, body: { code: 509, error: "Com-link error (sensor)" } } });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    (button().element() as HTMLElement).click();
    await expect.element(card().getByRole("alert")).toHaveTextContent(failed);
    await vi.advanceTimersByTimeAsync(4900);
    await expect.element(card().getByRole("alert")).toBeVisible();
    await vi.advanceTimersByTimeAsync(200);
    await expect.element(card().getByRole("alert")).not.toBeInTheDocument();
  } finally {
    vi.useRealTimers();
  }
  const link = card().getByRole("link", { name: "Configuration page without auto-login" });
  await expect.element(link).toHaveAttribute("target", "_blank");
});

test("PC-01 a window that the browser kept from opening is offered as a link", async () => {
  watchWindows(true);
  await open({ [psconnect]: { status: 200, body: { result: token } } });
  await button().click();
  await expect
    .element(card().getByRole("link", { name: "Open it here" }))
    .toHaveAttribute("href", expect.stringContaining("?token=remote_"));
});

test("PC-01 where the owner is asked first, a reason is needed, and the answer is awaited", async () => {
  let answer = { status: 400, body: { code: 104, error: "An argument is missing." } as object };
  await open({ [psconnect]: () => answer });
  await button().click();
  await reads("The owner of this sensor asks for a reason");
  answer = { status: 200, body: { result: null } };
  await card().getByRole("textbox", { name: "Reason" }).fill("Firmware");
  await button().click();
  await reads("The owner of this sensor has been asked.");
});

test("PC-01 the owner allows or refuses a session that waits", async () => {
  const sent: unknown[] = [];
  const waiting = session({ state: "waiting", until: null, mayConsent: true });
  await open({
    [list]: { status: 200, body: [waiting] },
    [`PUT ${sensorApiPath}/remote-session/${waiting._id}`]: (body) => (sent.push(body), { status: 200, body: null }),
  });
  await reads("Waiting for the owner's consent");
  await card().getByRole("button", { name: "Allow" }).click();
  await card().getByRole("button", { name: "Refuse" }).click();
  await expect.poll(() => sent).toEqual([{ consent: true }, { consent: false }]);
});

test("PC-01 End now is for one's own session and for those who may edit the sensor", async () => {
  await open({ [list]: { status: 200, body: [session(), session({ _id: "2", isOwn: true })] } }, viewOnlyPermissions);
  const buttons = card().getByRole("button", { name: "End now: session of PS Support" });
  await expect.element(buttons.first()).toHaveAttribute("aria-disabled", "true");
  await expect.element(buttons.nth(1)).not.toHaveAttribute("aria-disabled");
});

test.each([
  [null, "PS.Connect remote access is not available for this sensor."],
  [
    { connectionStatus: "disconnected", statusChangedAt: null },
    "This sensor is currently disconnected from PS.Connect.",
  ],
])("PC-01 with PS.Connect as %j the card says why the page can't be opened", async (psconnectState, words) => {
  await open({}, allPermissions, { psconnect: psconnectState, vpn: enabledVpn });
  await reads(words);
  expect(button().elements()).toHaveLength(0);
});
