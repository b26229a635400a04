// Tests the switch of the weekly report and the unsubscribe page with stubbed responses.
import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { plainAccount } from "../testing/objects.ts";

const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });
const off = { enabled: false, nextAt: null, timezone: "Pacific/Auckland" };
/** In Auckland, this is Monday at 7:00; in UTC, it is Sunday. */
const on = { enabled: true, nextAt: "2026-11-29T18:00:00.000Z", timezone: "Pacific/Auckland" };

function openAccount(more: StubbedResponses) {
  return openConsole("/myaccount", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions: null, email: "me@example.com" } },
    "GET /api/auth/sessions": { status: 200, body: [] },
    "GET /api/auth/remote-consent": { status: 200, body: { required: false } },
    "GET /api/auth/feed-token": { status: 200, body: { createdAt: null } },
    "GET /api/auth/weekly-report": { status: 200, body: off },
    ...more,
  });
}
const theSwitch = () => page.getByRole("switch", { name: "Weekly report by e-mail" });

test("the switch is off at first, says to whom and when, and is saved at once", async () => {
  const put = vi.fn(({ enabled }: { enabled: boolean }) => ({ status: 200, body: enabled ? on : off }));
  await openAccount({ "PUT /api/auth/weekly-report": (body) => put(body as { enabled: boolean }) });
  await expect.element(theSwitch()).not.toBeChecked();
  await expect.element(theSwitch()).toHaveAccessibleDescription(/Sent to me@example\.com on Mondays at 7:00\.$/);
  await theSwitch().click();
  await expect.element(page.getByText(/Next report: Monday,? 30 November \(Pacific\/Auckland\)/)).toBeVisible();
  await expect.element(theSwitch()).toBeChecked();
  await theSwitch().click();
  await expect.element(theSwitch()).not.toBeChecked();
  await expect.poll(() => put.mock.calls.map(([body]) => body)).toEqual([{ enabled: true }, { enabled: false }]);
});

test("a switch that could not be saved is as it was, and says why", async () => {
  await openAccount({
    "PUT /api/auth/weekly-report": { status: 503, body: { error: "The database is away", code: 100 } },
  });
  await theSwitch().click();
  await expect.element(page.getByText("The setting could not be saved")).toBeVisible();
  await expect.element(theSwitch()).not.toBeChecked();
});

const address = "/unsubscribe?token=abc.def";
const signedOut = { "GET /api/auth/user": { status: 401, body: { error: "Not signed in", code: 106 } } };
const subscribed = {
  status: 200,
  body: { email: "me@example.com", enabled: true, about: "weekly-report", confirmed: true },
};

test("the link says what it ends and changes nothing until the button is pressed; signed out, too", async () => {
  const post = vi.fn(() => ({
    status: 200,
    body: { email: "me@example.com", enabled: false, about: "weekly-report", confirmed: true },
  }));
  await openConsole(address, {
    ...signedOut,
    "GET /api/report/unsubscribe": (_, query) => {
      expect(query.get("token")).toBe("abc.def");
      return subscribed;
    },
    "POST /api/report/unsubscribe": (body) => {
      expect(body).toEqual({ token: "abc.def" });
      return post();
    },
  });
  await expect.element(page.getByRole("heading", { level: 1, name: "Weekly report" })).toBeVisible();
  await expect.element(page.getByText(/me@example\.com gets the weekly report/)).toBeVisible();
  expect(page.getByRole("button").elements()).toHaveLength(1);
  expect(post).not.toHaveBeenCalled();
  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await expect.element(page.getByText("me@example.com no longer gets the weekly report.")).toBeVisible();
  expect(post).toHaveBeenCalledOnce();
  expect(page.getByRole("button").elements()).toEqual([]);
});

test("a link of a report that has ended says so, and one that is not ours, too", async () => {
  const { screen } = await openConsole(address, {
    ...signedOut,
    "GET /api/report/unsubscribe": {
      status: 200,
      body: { email: "me@example.com", enabled: false, about: "weekly-report", confirmed: true },
    },
  });
  await expect.element(page.getByText("me@example.com no longer gets the weekly report.")).toBeVisible();
  await screen.unmount();
  await openConsole("/unsubscribe", {
    ...signedOut,
    "GET /api/report/unsubscribe": { status: 400, body: { error: "Bad argument", code: 102 } },
  });
  await expect.element(page.getByText(/^This link is invalid/)).toBeVisible();
  expect(page.getByRole("button").elements()).toEqual([]);
});

test("MO-03 the link of a mail about issues says that it ends those mails, and what it does not end", async () => {
  const answer = (enabled: boolean, confirmed = true) => ({
    status: 200,
    body: { email: "door@example.com", enabled, about: "alerts", confirmed },
  });
  await openConsole("/unsubscribe?token=alerts.abc.def", {
    ...signedOut,
    "GET /api/report/unsubscribe": answer(true),
    "POST /api/report/unsubscribe": answer(false),
  });
  await expect.element(page.getByRole("heading", { level: 1, name: "Emails about issues" })).toBeVisible();
  await expect.element(page.getByText(/door@example\.com gets emails when monitoring finds/)).toBeVisible();
  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await expect.element(page.getByText(/door@example\.com no longer gets emails about issues/)).toBeVisible();
});

test("MO-03 T-20 its holder confirms an additional e-mail, ends the mails, and subscribes again", async () => {
  let state = { email: "door@example.com", enabled: true, about: "alerts", confirmed: false };
  const change = (next: Partial<typeof state>) => () => {
    state = { ...state, ...next };
    return { status: 200, body: state };
  };
  await openConsole("/unsubscribe?token=alerts.abc.def", {
    ...signedOut,
    "GET /api/report/unsubscribe": change({}),
    "POST /api/report/confirm": change({ enabled: true, confirmed: true }),
    "POST /api/report/unsubscribe": change({ enabled: false }),
  });
  await expect.element(page.getByText(/Until you confirm that you want them, it gets at most 20 emails/)).toBeVisible();
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect.element(page.getByText("Confirmed. door@example.com gets emails about issues.")).toBeVisible();
  expect(page.getByRole("button", { name: "Confirm" }).elements()).toEqual([]);
  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await expect.element(page.getByText(/door@example\.com no longer gets emails about issues/)).toBeVisible();
  await page.getByRole("button", { name: "Subscribe again" }).click();
  await expect.element(page.getByText("Confirmed. door@example.com gets emails about issues.")).toBeVisible();
});
