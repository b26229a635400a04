// Tests the page of the user's own account with stubbed responses.
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { waitForAppearance } from "../../testing/shown.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const myself = { me: true };
const manager: Permissions = { owner: { canViewOwner: myself, canEditOwner: myself, canDeleteOwner: myself } };
const id = "00000000-0000-7000-8000-000000000001";
const legal = {
  firstName: "Ada",
  familyName: "Byron",
  department: "Operations",
  dpaAcceptedAt: "2026-01-02T10:00:00Z",
  eulaAcceptedAt: "2026-01-02T10:00:00Z",
  dpaVersion: "2020-08-20",
};
const logins: [email: string, step: number, legal: object | null][] = [
  ["ada@example.com", 2, legal],
  ["form@example.com", 0, null],
  ["mail@example.com", 1, legal],
  ["made@example.com", 2, null],
];
const user = {
  _id: id,
  name: "Harbour Stores",
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Customer administrator", owner: null },
  credentials: logins.map(([email]) => ({ email })),
  registrationInfo: logins.map(([email, stepReached, one]) => ({ stepReached, legal: one, credentials: { email } })),
  parentAccounts: ["00000000-0000-7000-8000-000000000009"],
  status: { numActiveSessions: 1, lastSeenAt: null },
  phone: "+49 30 1234",
  street: "Kanalweg",
  streetNumber: "7a",
  zip: "10115",
  city: "Berlin",
  country: "Germany",
  supplier: null,
  readonlyAddress: false,
  isDeleted: false,
  version: 4,
  permissions: manager as Permissions | null,
  email: "ada@example.com",
};
const session = (n: number, client: string | null, current = false) => ({
  _id: `00000000-0000-7000-8000-00000000010${n}`,
  current,
  createdAt: "2026-01-02T10:00:00Z",
  lastSeenAt: "2026-01-03T10:00:00Z",
  expiresAt: "2026-02-01T10:00:00Z",
  client,
});

function open(address: string, changes: Partial<typeof user> = {}, more: StubbedResponses = {}) {
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...user, ...changes } },
    "GET /api/auth/remote-consent": { status: 200, body: { required: false } },
    "GET /api/auth/feed-token": { status: 200, body: { createdAt: null } },
    "GET /api/auth/weekly-report": { status: 200, body: { enabled: false, nextAt: null, timezone: "Europe/Berlin" } },
    "GET /api/auth/sessions": { status: 200, body: [session(1, "Firefox on Linux", true)] },
    ...more,
  });
}

test("MY-01 profile, address and phone, and a dash for everything that is empty", async () => {
  const { screen } = await open("/myaccount");
  const profile = screen.getByRole("region", { name: "Profile" });
  await expect.element(profile.getByText("Harbour Stores")).toBeVisible();
  await expect.element(profile.getByText("Customer administrator")).toBeVisible();
  const address = screen.getByRole("region", { name: "Address" });
  for (const text of ["Kanalweg 7a", "10115 Berlin", "Germany", "+49 30 1234"])
    await expect.element(address.getByText(text)).toBeVisible();
  await screen.unmount();
  const nothing = { street: null, streetNumber: null, zip: null, city: null, country: null, phone: "", role: null };
  const empty = await open("/myaccount", nothing as never);
  const dashes = empty.screen.getByRole("region", { name: "Address" }).getByText("-", { exact: true });
  await expect.poll(() => dashes.elements().length).toBe(4);
  await expect
    .element(empty.screen.getByRole("region", { name: "Profile" }).getByText("-", { exact: true }))
    .toBeVisible();
});

test("MY-01 the actions: edit, close, and a mail to the configured operator", { tags: "prove" }, async () => {
  const { screen, address } = await open("/myaccount");
  const actions = screen.getByRole("region", { name: "Account Actions" });
  await expect
    .element(actions.getByRole("link", { name: "Edit your account" }))
    .toHaveAttribute("href", `/account/${id}`);
  const mail = actions.getByRole("link", { name: "Request address change" });
  const to = new URL(mail.element().getAttribute("href") ?? "");
  expect([to.protocol, to.pathname, to.searchParams.get("subject")]).toEqual([
    "mailto:",
    "info@example.com",
    "Address change of Harbour Stores",
  ]);
  await actions.getByRole("link", { name: "Close your account" }).click();
  await expect.poll(address).toBe(`/myaccount/delete/${id}`);
});

test("MY-01 without the right, closing the account is disabled with the reason and its URL redirects", async () => {
  const permissions: Permissions = { owner: { canViewOwner: myself } };
  const { screen, address } = await open("/myaccount", { permissions });
  const close = screen.getByRole("region", { name: "Account Actions" }).getByText("Close your account");
  await expect.element(close).toHaveAttribute("aria-disabled", "true");
  await expect.element(close).toHaveAttribute("aria-description", "You don't have permission to close your account");
  await screen.unmount();
  const typed = await open(`/myaccount/delete/${id}`, { permissions });
  const alert = typed.screen.getByRole("alert");
  await expect.element(alert.getByText("Failed to delete account.")).toBeVisible();
  await expect.element(alert.getByText("You don't have permission to delete this account")).toBeVisible();
  await expect.poll(typed.address).toBe("/myaccount");
  expect(typed.screen.getByRole("alertdialog").elements()).toEqual([]);
  await expect.poll(address).toBe("/myaccount");
});

test("MY-01 the dialog asks in the fixed words, and closing signs out", async () => {
  const sent: string[] = [];
  const { screen, address } = await open(
    `/myaccount/delete/${id}`,
    {},
    {
      [`DELETE /api/account/${id}`]: () => {
        sent.push("delete");
        return { status: 200, body: { _id: id } };
      },
      "POST /api/auth/ticket": () => {
        sent.push("ticket");
        return new Promise(() => undefined);
      },
    },
  );
  await expect.poll(() => sent).toEqual(["ticket"]);
  const dialog = screen.getByRole("alertdialog", { name: "Close Account" });
  await expect
    .element(
      dialog.getByText(
        "You are about to close your account with the name Harbour Stores. This would make all of the credentials invalid. Are you sure?",
      ),
    )
    .toBeVisible();
  // The user isn't allowed to view sensors or locations.
  await expect.element(dialog.getByText(/^Its sensors stay with the closed account/)).toBeVisible();
  await expect.element(dialog.getByText(/^You don't have permission to hand over sensors and locations/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close account" }).click();
  await expect.element(dialog.getByText("Type Harbour Stores first")).toBeVisible();
  expect(sent).toEqual(["ticket"]);
  await dialog.getByLabelText("Type Harbour Stores to confirm").fill("Harbour Stores");
  await dialog.getByRole("button", { name: "Close account" }).click();
  await expect.poll(address).toBe("/login");
  expect(sent).toEqual(["ticket", "delete"]);
});

test(
  "MY-01 a server that refuses to close is quoted with its reason, and the question stays",
  { tags: "prove" },
  async () => {
    const body = {
      code: 304,
      error: "No permission to delete the given entity.",
      details: { reason: "The account has child accounts" },
    };
    const { screen } = await open(
      `/myaccount/delete/${id}`,
      {},
      {
        [`DELETE /api/account/${id}`]: { status: 403, body },
      },
    );
    await screen.getByLabelText("Type Harbour Stores to confirm").fill("Harbour Stores");
    await screen.getByRole("button", { name: "Close account" }).click();
    const alert = screen.getByRole("alert");
    await expect.element(alert.getByText("Failed to delete account.")).toBeVisible();
    await expect
      .element(alert.getByText("No permission to delete the given entity. The account has child accounts."))
      .toBeVisible();
    await expect.element(screen.getByRole("alertdialog", { name: "Close Account" })).toBeVisible();
  },
);

test.each(
  everyNth(2, [
    [
      "ada@example.com (you)",
      "Registration complete",
      "done",
      "done",
      ["version 1.03", "Accepted by Ada Byron, 02/01/2026"],
    ],
    ["form@example.com", "Registration form not filled in yet", "open", "open", ["version 2.00"]],
    ["mail@example.com", "Email not confirmed yet", "done", "open", ["version 1.03", "Accepted by Ada Byron"]],
    ["made@example.com", "Registration complete", "not needed", "not needed", []],
  ] as const),
)("MY-01 the login %s: %s, with its steps in the tooltip", async (email, status, form, confirm, details) => {
  const { screen } = await open("/myaccount");
  const list = screen.getByRole("region", { name: "Login Credentials" });
  const item = list.getByRole("listitem").filter({ hasText: email });
  // Waits for the banner, because it moves everything below it.
  await expect.element(screen.getByText("No connection to server")).toBeVisible();
  await item.getByRole("button", { name: status }).hover();
  const tip = screen.getByRole("tooltip");
  await expect.element(tip).toBeVisible();
  for (const text of [`Fill out registration form: ${form}`, `Confirm email: ${confirm}`, ...details])
    await expect.element(tip).toMatchTextContent(text);
  const eula = tip.getByRole("link", { name: "End User License Agreement" });
  expect(eula.elements().map((link) => link.getAttribute("href"))).toEqual(
    form === "not needed" ? [] : ["/end-user-license-agreement"],
  );
});

test("MY-01 the tooltip's links are reached by keyboard, and Escape hides it", async () => {
  const { screen, address } = await open("/myaccount");
  const status = screen
    .getByRole("region", { name: "Login Credentials" })
    .getByRole("listitem")
    .filter({ hasText: "ada@example.com" })
    .getByRole("button", { name: "Registration complete" });
  // Moves the pointer away, because hovering over another login would open its tooltip.
  await userEvent.hover(screen.getByRole("heading", { level: 1 }));
  screen.getByRole("link", { name: "Close your account" }).element().focus();
  await userEvent.keyboard("{Tab}");
  await expect.element(status).toHaveFocus();
  await expect.element(screen.getByRole("tooltip")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(screen.getByRole("tooltip")).not.toBeInTheDocument();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("tooltip")).toBeVisible();
  await userEvent.keyboard("{Tab}{Tab}");
  await expect.element(screen.getByRole("link", { name: "Data Processing Agreement, version 1.03" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(address).toBe("/data-processing-agreement/2020-08-20");
});

test(
  "MY-01 sessions: this device is marked and can't be signed out, others can, one by one or all",
  { tags: "prove" },
  async () => {
    let list = [session(1, "Firefox on Linux", true), session(2, "Chrome on Windows"), session(3, null)];
    const sent: string[] = [];
    const { screen } = await open(
      "/myaccount",
      {},
      {
        "GET /api/auth/sessions": () => ({ status: 200, body: list }),
        [`DELETE /api/auth/sessions/${session(2, null)._id}`]: () => {
          sent.push("one");
          list = list.filter(({ client }) => client !== "Chrome on Windows");
          return { status: 200, body: { _id: session(2, null)._id } };
        },
        "DELETE /api/auth/sessions": () => {
          sent.push("others");
          list = list.slice(0, 1);
          return { status: 200, body: { ended: 1 } };
        },
      },
    );
    const card = screen.getByRole("region", { name: "Where you are logged in" });
    const mine = card.getByRole("listitem").filter({ hasText: "Firefox on Linux" });
    await expect.element(mine.getByText("This device")).toBeVisible();
    expect(mine.getByRole("button").elements()).toEqual([]);
    const shown = waitForAppearance(screen.getByRole("status").getByText("Logged out Chrome on Windows"));
    await card.getByRole("button", { name: "Log out Chrome on Windows" }).click();
    await shown;
    await expect.element(card.getByText("Chrome on Windows")).not.toBeInTheDocument();
    await expect.element(card.getByRole("button", { name: "Log out Unknown client" })).toBeVisible();
    await card.getByRole("button", { name: "Log out all other devices" }).click();
    await screen
      .getByRole("alertdialog", { name: "Log out all other devices" })
      .getByRole("button", { name: "Log out" })
      .click();
    await expect.poll(() => card.getByRole("listitem").elements().length).toBe(1);
    await expect.element(card.getByRole("button", { name: "Log out all other devices" })).not.toBeInTheDocument();
    expect(sent).toEqual(["one", "others"]);
  },
);

test(
  "AC-11 changing own logins needs the current password; a wrong one keeps the session",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    const { screen, address } = await open(
      `/account/${id}`,
      {},
      {
        [`GET /api/account/${id}`]: { status: 200, body: user },
        "GET /api/role": { status: 200, body: { objects: [], total: 0 } },
        "GET /api/account": { status: 200, body: { objects: [user], total: 1 } },
        "PUT /api/auth/evaluate_password": { status: 200, body: { fulfilled: true, details: [] } },
        [`PUT /api/account/${id}`]: (body) => {
          sent.push(body);
          return {
            status: 401,
            body: {
              code: 106,
              error: "Unauthorized access.",
              details: { field: "credentialChanges.currentPassword", reason: "The current password is wrong." },
            },
          };
        },
      },
    );
    const dialog = screen.getByRole("dialog", { name: "Harbour Stores" });
    const own = dialog.getByRole("group", { name: "ada@example.com" });
    await own.getByRole("textbox", { name: "Password", exact: true }).fill("seven geese over the quay");
    await own.getByRole("textbox", { name: "Confirm Password" }).fill("seven geese over the quay");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.element(dialog.getByText("The current password is required")).toBeVisible();
    expect(sent).toEqual([]);
    await own.getByRole("textbox", { name: "Confirm Password" }).fill("six geese");
    await dialog.getByRole("button", { name: "Add Credentials" }).click();
    const added = dialog.getByRole("group", { name: "New credentials 1" });
    await added.getByRole("textbox", { name: "Confirm Password" }).fill("x");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.element(dialog.getByText("The current password is required")).toBeVisible();
    await expect.element(own.getByText("Password does not match")).toBeVisible();
    for (const sentence of ["The email is required", "The password is required", "Password does not match"])
      await expect.element(added.getByText(sentence)).toBeVisible();
    await added.getByRole("button", { name: /^Delete credentials/ }).click();
    await own.getByRole("textbox", { name: "Confirm Password" }).fill("seven geese over the quay");
    await dialog.getByRole("button", { name: "Delete credentials made@example.com" }).click();
    await dialog.getByRole("textbox", { name: "Current Password" }).fill("not my password");
    await dialog.getByRole("button", { name: "Save" }).click();
    const alert = screen.getByRole("alert");
    await expect.element(alert.getByText("Failed to update account.")).toBeVisible();
    await expect.element(alert.getByText("Unauthorized access. The current password is wrong.")).toBeVisible();
    const change = { operation: "CHANGE_PASSWORD", email: "ada@example.com", newPassword: "seven geese over the quay" };
    const currentPassword = "not my password";
    expect(sent).toEqual([
      {
        credentialChanges: [
          { operation: "REMOVE", email: "made@example.com", currentPassword },
          { ...change, currentPassword },
        ],
      },
    ]);
    await expect
      .element(own.getByRole("textbox", { name: "Confirm Password" }))
      .toHaveValue("seven geese over the quay");
    await expect.poll(address).toBe(`/account/${id}`);
  },
);

test(
  "AC-11 AU-07 a password that could not be evaluated is saved, and the server decides",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    const { screen } = await open(
      `/account/${id}`,
      {},
      {
        [`GET /api/account/${id}`]: { status: 200, body: user },
        "GET /api/role": { status: 200, body: { objects: [], total: 0 } },
        "GET /api/account": { status: 200, body: { objects: [user], total: 1 } },
        "PUT /api/auth/evaluate_password": { status: 429, body: { code: 306, error: "No permission." } },
        [`PUT /api/account/${id}`]: (body) => {
          sent.push(body);
          return { status: 200, body: user };
        },
      },
    );
    const dialog = screen.getByRole("dialog", { name: "Harbour Stores" });
    const own = dialog.getByRole("group", { name: "ada@example.com" });
    const newPassword = "seven geese over the quay";
    await own.getByRole("textbox", { name: "Password", exact: true }).fill(newPassword);
    await own.getByRole("textbox", { name: "Confirm Password" }).fill(newPassword);
    await dialog.getByRole("textbox", { name: "Current Password" }).fill("the present one");
    await dialog.getByRole("button", { name: "Save" }).click();
    const change = { operation: "CHANGE_PASSWORD", email: "ada@example.com", newPassword };
    await expect.poll(() => sent).toEqual([{ credentialChanges: [{ ...change, currentPassword: "the present one" }] }]);
  },
);

test("PC-01 the owner's consent to remote access is switched here, by those who may edit the account", async () => {
  const sent: unknown[] = [];
  const { screen } = await open(
    "/myaccount",
    { permissions: { owner: { canEditOwner: { me: true } }, ownable: { sensor: { canEditObject: { me: true } } } } },
    {
      "PUT /api/auth/remote-consent": (body) => (sent.push(body), { status: 200, body: { required: true } }),
    },
  );
  const consent = screen.getByRole("switch", { name: "Ask me before parent accounts open my sensors" });
  await expect.element(consent).not.toBeChecked();
  await consent.click();
  await expect.element(consent).toBeChecked();
  await expect.poll(() => sent).toEqual([{ required: true }]);
});

test("PC-01 who may not edit the own sensors sees why they can't demand to be asked", async () => {
  const { screen } = await open("/myaccount", { permissions: { owner: { canEditOwner: { me: true } } } });
  const consent = screen.getByRole("switch", { name: "Ask me before parent accounts open my sensors" });
  await expect
    .element(consent)
    .toHaveAttribute("aria-description", "To answer requests, you need permission to edit your sensors");
});

const feedOf = (createdAt: string | null) => ({ status: 200, body: { createdAt } });
const feedUrl = "https://psp.example/data/gtfs-realtime/a/vehicle-positions?token=feed_";
const madeFeed = (n: number) => ({ status: 200, body: { createdAt: "2026-01-03T10:00:00Z", url: `${feedUrl}${n}` } });

test("the feed URL is created, shown once, replaced and revoked with confirmation", { tags: "prove" }, async () => {
  let made = 0;
  const { screen } = await open(
    "/myaccount",
    {},
    {
      "POST /api/auth/feed-token": () => madeFeed((made += 1)),
      "DELETE /api/auth/feed-token": () => feedOf(null),
    },
  );
  const card = screen.getByRole("region", { name: "GTFS-Realtime feed" });
  await expect.element(card.getByText("You don't have a feed link yet.")).toBeVisible();
  await card.getByRole("button", { name: "Create feed link" }).click();
  await expect.element(card.getByText(/^Feed link created/)).toHaveFocus();
  const address = card.getByRole("textbox", { name: "Feed link" });
  await expect.element(address).toHaveValue(`${feedUrl}1`);
  await expect.element(card.getByRole("button", { name: "Copy feed link" })).toBeVisible();
  await card.getByRole("button", { name: "Replace feed link" }).click();
  const replace = screen.getByRole("alertdialog", { name: "Replace feed link" });
  await expect.element(replace.getByText(/stops working immediately/)).toBeVisible();
  await replace.getByRole("button", { name: "Cancel" }).click();
  await expect.element(replace).not.toBeInTheDocument();
  expect(made).toBe(1);
  await card.getByRole("button", { name: "Replace feed link" }).click();
  await replace.getByRole("button", { name: "Replace feed link" }).click();
  await expect.element(address).toHaveValue(`${feedUrl}2`);
  await card.getByRole("button", { name: "Revoke feed link" }).click();
  await screen
    .getByRole("alertdialog", { name: "Revoke feed link" })
    .getByRole("button", { name: "Revoke feed link" })
    .click();
  await expect.element(card.getByText("You don't have a feed link yet.")).toHaveFocus();
  await expect.element(address).not.toBeInTheDocument();
  await screen.unmount();
  const again = await open("/myaccount", {}, { "GET /api/auth/feed-token": feedOf("2026-01-03T10:00:00Z") });
  const later = again.screen.getByRole("region", { name: "GTFS-Realtime feed" });
  await expect.element(later.getByRole("button", { name: "Replace feed link" })).toBeVisible();
  await expect.element(later.getByRole("textbox")).not.toBeInTheDocument();
});

test("without the edit right, a feed can't be created but can be revoked", { tags: "prove" }, async () => {
  const { screen } = await open("/myaccount", { permissions: null });
  const create = screen
    .getByRole("region", { name: "GTFS-Realtime feed" })
    .getByRole("button", { name: "Create feed link" });
  await expect.element(create).toHaveAttribute("aria-disabled", "true");
  await expect
    .element(create)
    .toHaveAttribute("aria-description", "You don't have permission to edit your own account");
  await screen.unmount();
  const leaked = await open(
    "/myaccount",
    { permissions: null },
    { "GET /api/auth/feed-token": feedOf("2026-01-03T10:00:00Z") },
  );
  const own = leaked.screen.getByRole("region", { name: "GTFS-Realtime feed" });
  await expect.element(own.getByRole("button", { name: "Replace feed link" })).toHaveAttribute("aria-disabled", "true");
  await expect.element(own.getByRole("button", { name: "Revoke feed link" })).not.toHaveAttribute("aria-disabled");
  await leaked.screen.unmount();
  const broken = { status: 500, body: { error: "An internal server error occured.", code: 101, requestId: "r-1" } };
  const failing = await open(
    "/myaccount",
    {},
    { "GET /api/auth/feed-token": feedOf("2026-01-03T10:00:00Z"), "DELETE /api/auth/feed-token": broken },
  );
  await failing.screen.getByRole("button", { name: "Revoke feed link" }).click();
  const dialog = failing.screen.getByRole("alertdialog", { name: "Revoke feed link" });
  await dialog.getByRole("button", { name: "Revoke feed link" }).click();
  await expect.element(dialog.getByText(/The feed link could not be revoked. An internal server error/)).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect.element(failing.screen.getByRole("button", { name: "Replace feed link" })).toBeVisible();
});
