// Tests the permissions and requests of the account dialogs and sign-up reviews with stubbed responses.
import { expect, test } from "vitest";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type StubbedResponses, notFound, openConsole } from "../../testing/console.tsx";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const below = { me: true, myChildren: true };
const everything: Permissions = {
  other: { canAssignRoles: below },
  ownable: { role: { canViewObject: below } },
  owner: { canCreateOwner: true, canViewOwner: below, canEditOwner: below, canDeleteOwner: below },
};
const lookOnly: Permissions = { owner: { canViewOwner: below } };

const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;
const role = (n: number, permissions: Permissions = {}) => ({
  _id: id(n),
  name: `Role ${n}`,
  owner: { _id: id(1), name: "Northwind", isDeleted: false },
  permissions,
  isDeleted: false,
  version: 1,
});
function account(n: number, name: string, more: object = {}) {
  return {
    _id: id(n),
    name,
    role: { _id: id(7), name: "Role 7", owner: null },
    credentials: [{ email: `a${n}@example.com` }],
    registrationInfo: [{ stepReached: 2, legal: null, credentials: { email: `a${n}@example.com` } }],
    parentAccounts: [id(9), id(1)],
    status: { numActiveSessions: 0, lastSeenAt: null },
    phone: "+49 30 1234",
    street: "Kanalweg",
    streetNumber: "7",
    zip: "10115",
    city: "Berlin",
    country: "Germany",
    supplier: null,
    readonlyAddress: false,
    isDeleted: false,
    version: 4,
    ...more,
  };
}
const legal = {
  firstName: "Ada",
  familyName: "Byron",
  department: "Operations",
  dpaAcceptedAt: "2026-01-02T10:00:00Z",
  eulaAcceptedAt: "2026-01-02T10:00:00Z",
  dpaVersion: "2024-06-01",
};
const me = account(1, "Northwind", { parentAccounts: [id(9)] });
const waiting = account(2, "Newcomer", {
  role: null,
  registrationInfo: [{ stepReached: -1, legal, credentials: { email: "a2@example.com" } }],
});
const settled = account(3, "Settled");

/** Renders the console for a user with these permissions; lists return exactly these objects. */
function open(
  address: string,
  permissions: Permissions,
  accounts: object[],
  roles: object[] = [],
  more: StubbedResponses = {},
) {
  const page = (objects: object[]) => ({ status: 200, body: { objects, total: objects.length } });
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "a1@example.com" } },
    "GET /api/account": page(accounts),
    "GET /api/role": page(roles),
    ...Object.fromEntries([waiting, settled].map((one) => [`GET /api/account/${one._id}`, { status: 200, body: one }])),
    ...more,
  });
}

test("AC-04 pending sign-ups are listed above the accounts with their buttons", async () => {
  const { screen, address } = await open("/account?viewType=list", everything, [waiting]);
  const list = screen.getByRole("region", { name: "Accounts awaiting review" });
  await expect.element(list.getByText("TO BE REVIEWED")).toBeVisible();
  await expect.element(list.getByRole("button", { name: "Delete Newcomer" })).toBeVisible();
  await list.getByRole("button", { name: "Review Newcomer" }).click();
  await expect.poll(address).toBe(`/account/review/${waiting._id}?viewType=list`);
});

test("AC-04 without a sign-up there is no such list, and readers get no buttons", async () => {
  const { screen } = await open("/account?viewType=list", lookOnly, [waiting]);
  await expect.element(screen.getByText("TO BE REVIEWED")).toBeVisible();
  expect(screen.getByRole("button", { name: /^(Review|Delete) Newcomer/ }).elements()).toEqual([]);
  await screen.unmount();
  const none = await open("/account?viewType=list", everything, []);
  await expect.element(none.screen.getByText("No accounts existing")).toBeVisible();
  await expect.element(none.screen.getByText("Accounts are used for personal access on this platform.")).toBeVisible();
  expect(none.screen.getByRole("region", { name: "Accounts awaiting review" }).elements()).toEqual([]);
});

test(
  "AC-13 accepting sends the selected parent; the account itself and ancestors can't be selected",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    const { screen, address } = await open(
      `/account/review/${waiting._id}`,
      everything,
      [account(9, "Platform", { parentAccounts: [] }), me, waiting, settled],
      [],
      {
        [`PUT /api/account/${waiting._id}`]: (body) => {
          sent.push(body);
          return { status: 200, body: { ...waiting, version: 5 } };
        },
      },
    );
    const dialog = screen.getByRole("dialog", { name: "Review account" });
    await expect.element(dialog.getByText("Do you approve the registration of the following account?")).toBeVisible();
    await expect.element(dialog.getByLabelText("First Name")).toHaveValue("Ada");
    await expect.element(dialog.getByLabelText("First Name")).toHaveAttribute("readonly");
    await dialog.getByRole("button", { name: "Accept" }).click();
    await expect.element(dialog.getByText("The parent account is required")).toBeVisible();
    expect(sent).toEqual([]);
    await dialog.getByRole("combobox", { name: "Parent Account" }).click();
    await expect.element(screen.getByRole("option", { name: /^Settled/ })).toBeVisible();
    await expect.element(screen.getByRole("option", { name: /^Northwind/ })).toBeVisible();
    expect(screen.getByRole("option", { name: /Newcomer|Platform/ }).elements()).toEqual([]);
    await screen.getByRole("option", { name: /^Settled/ }).click();
    await dialog.getByRole("button", { name: "Accept" }).click();
    await expect.poll(address).toBe("/account");
    expect(sent).toEqual([{ acceptRegistration: true, directParentAccount: settled._id }]);
  },
);

test("AC-13 rejecting needs no parent", async () => {
  const sent: unknown[] = [];
  const { screen, address } = await open(`/account/review/${waiting._id}`, everything, [me, waiting, settled], [], {
    [`PUT /api/account/${waiting._id}`]: (body) => {
      sent.push(body);
      return { status: 200, body: waiting };
    },
  });
  await screen.getByRole("button", { name: "Reject" }).click();
  await expect.poll(address).toBe("/account");
  expect(sent).toEqual([{ acceptRegistration: false }]);
});

test("AC-13 what does not wait can't be decided, and without the right there are no such buttons", async () => {
  const { screen } = await open(`/account/review/${settled._id}`, everything, [me, settled]);
  for (const name of ["Reject", "Accept"])
    await expect.element(screen.getByRole("button", { name })).toHaveAttribute("aria-disabled", "true");
  await screen.unmount();
  const reader = await open(`/account/review/${waiting._id}`, lookOnly, [me, waiting]);
  await expect.element(reader.screen.getByRole("dialog", { name: "Review account" })).toBeVisible();
  expect(reader.screen.getByRole("button", { name: /Reject|Accept/ }).elements()).toEqual([]);
});

test("AC-08 the only role that can be given is chosen with a hint", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  const { screen } = await open(
    "/account/new",
    everything,
    [me],
    [role(5), role(6, { owner: { canViewOwner: { roles: [id(4)] } } })],
    {
      "POST /api/account": (body) => {
        sent.push(body);
        return { status: 500, body: { code: 101, error: "An internal error occured." } };
      },
    },
  );
  const dialog = screen.getByRole("dialog", { name: "New Account" });
  await expect.element(dialog.getByText("You can't assign any other role.")).toBeVisible();
  await expect.element(dialog.getByRole("combobox", { name: "Role" })).toHaveValue("Role 5");
  await dialog.getByRole("textbox", { name: "Name" }).fill(" Kiosk ");
  await dialog.getByRole("textbox", { name: "Email" }).fill("kiosk@example.com");
  await dialog.getByRole("button", { name: "Create" }).click();
  const alert = screen.getByRole("alert");
  await expect.element(alert.getByText("Failed to create new account.")).toBeVisible();
  await expect.element(alert.getByText("An internal error occured.")).toBeVisible();
  expect(sent).toEqual([{ name: "Kiosk", role: id(5), email: "kiosk@example.com", otherOrganization: true }]);
  await expect.element(dialog.getByRole("textbox", { name: "Email" })).toHaveValue("kiosk@example.com");
});

test.each<[string, object[], string]>([
  ["no role exists", [], "You can not create an account because no role exists."],
  [
    "no role can be given",
    [role(6, { owner: { canViewOwner: { roles: [id(4)] } } })],
    "You can not create an account because you have no role to assign to the new account.",
  ],
])("AC-08 %s: the dialog closes and says so", async (_, roles, sentence) => {
  const { screen, address } = await open("/account/new", everything, [me], roles);
  await expect.element(screen.getByRole("alert").getByText(sentence)).toBeVisible();
  await expect.poll(address).toBe("/account");
  expect(screen.getByRole("button", { name: "New role" }).elements()).toHaveLength(roles.length === 0 ? 1 : 0);
});

test("AC-10 without a role to give the present one stays shown, with the hint; only the name is sent", async () => {
  const sent: unknown[] = [];
  const { screen, address } = await open(`/account/${settled._id}`, everything, [me, settled], [], {
    [`PUT /api/account/${settled._id}`]: (body) => {
      sent.push(body);
      return { status: 200, body: settled };
    },
  });
  const dialog = screen.getByRole("dialog", { name: "Settled" });
  await expect.element(dialog.getByText("You can't assign any role.")).toBeVisible();
  await expect.element(dialog.getByRole("combobox", { name: "Role" })).toHaveValue("Role 7");
  await dialog.getByRole("textbox", { name: "Name" }).fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByText("The name is required")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Resettled");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(address).toBe("/account");
  expect(sent).toEqual([{ name: "Resettled" }]);
});

test("AC-10 only what changed is sent: the role, a login's new password, a login that goes", async () => {
  const logins = [{ email: "a3@example.com" }, { email: "b3@example.com" }];
  const two = {
    ...settled,
    credentials: logins,
    registrationInfo: logins.map((credentials) => ({ stepReached: 2, legal: null, credentials })),
  };
  const sent: unknown[] = [];
  const { screen } = await open(`/account/${settled._id}`, everything, [me, two], [role(6), role(7)], {
    [`GET /api/account/${settled._id}`]: { status: 200, body: two },
    "PUT /api/auth/evaluate_password": { status: 200, body: { fulfilled: true, details: [] } },
    [`PUT /api/account/${settled._id}`]: (body) => {
      sent.push(body);
      return { status: 200, body: two };
    },
  });
  const dialog = screen.getByRole("dialog", { name: "Settled" });
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await screen.getByRole("option", { name: /^Role 6/ }).click();
  await dialog.getByRole("button", { name: "Delete credentials b3@example.com" }).click();
  const kept = dialog.getByRole("group", { name: "a3@example.com" });
  const newPassword = "seven geese over the quay";
  await kept.getByRole("textbox", { name: "Password", exact: true }).fill(newPassword);
  await kept.getByRole("textbox", { name: "Confirm Password" }).fill(newPassword);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent).toEqual([
    {
      role: id(6),
      credentialChanges: [
        { operation: "REMOVE", email: "b3@example.com" },
        { operation: "CHANGE_PASSWORD", email: "a3@example.com", newPassword },
      ],
    },
  ]);
});

test.each<[string, Permissions, string[], string | undefined]>([
  ["below with a weaker role", { owner: { canViewOwner: below } }, [id(9), id(1)], undefined],
  [
    "below with a stronger role",
    { ownable: { sensor: { canViewObject: below } } },
    [id(9), id(1)],
    "This account has more access than yours",
  ],
  ["beside", {}, [id(9)], "Only the account itself and its parent accounts can change these logins"],
])("AC-11 PE-02 logins of an account %s: whether they can be changed, and why not", async (_, of, parents, reason) => {
  const upward = { ...below, relativeAncestorLevel: 1, roles: [id(7)] };
  const permissions = { ...everything, owner: { ...everything.owner, canEditOwner: upward, canViewOwner: upward } };
  const other = { ...settled, parentAccounts: parents };
  const { screen } = await open(`/account/${settled._id}`, permissions, [me, other], [role(7, of)], {
    [`GET /api/account/${settled._id}`]: { status: 200, body: other },
  });
  const dialog = screen.getByRole("dialog", { name: "Settled" });
  const add = dialog.getByRole("button", { name: "Add Credentials" });
  const pair = dialog.getByRole("group", { name: "a3@example.com" }).getByRole("textbox", { name: /Password/ });
  await expect.element(add).toBeVisible();
  if (reason === undefined) {
    await expect.element(add).not.toHaveAttribute("aria-disabled");
    await expect.poll(() => pair.elements().length).toBe(2);
  } else {
    await expect.element(add).toHaveAttribute("aria-description", reason);
    await expect.poll(() => pair.elements().length).toBe(0);
  }
  expect(dialog.getByRole("textbox", { name: "Current Password" }).elements()).toEqual([]);
});

test("AC-14 what may not be deleted is not even tried, and identical reasons are shown once for all", async () => {
  const tried: string[] = [];
  const noDelete: Permissions = { ...everything, owner: { ...everything.owner, canDeleteOwner: {} } };
  const { screen } = await open("/account?viewType=list", noDelete, [waiting, settled], [], {
    [`DELETE /api/account/${settled._id}`]: () => ({ status: 200, body: tried.push("settled") }),
  });
  await screen.getByRole("checkbox", { name: "Select page" }).click();
  await screen.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Delete" }).click();
  const dialog = screen.getByRole("dialog", { name: "Delete 2 accounts" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect.element(dialog.getByText("Deletion Failed")).toBeVisible();
  await expect
    .element(dialog.getByRole("alert").getByText("You don't have permission to delete this account"))
    .toBeVisible();
  expect(tried).toEqual([]);
});

test(
  "AC-14 a batch tells how many accounts could not be changed, how many could, and why",
  { tags: "prove" },
  async () => {
    const giver: Permissions = { ...everything, other: { canAssignRoles: below } };
    const answer = (id: string, ok: boolean) => ({
      [`PUT /api/account/${id}`]: ok
        ? { status: 200, body: { ...settled, _id: id } }
        : { status: 403, body: { code: 300, error: "No permission to assign the given role." } },
    });
    const { screen } = await open("/account?viewType=list", giver, [waiting, settled], [role(8)], {
      ...answer(waiting._id, false),
      ...answer(settled._id, true),
    });
    await screen.getByRole("checkbox", { name: "Select page" }).click();
    await expect.element(screen.getByRole("toolbar", { name: "Selection" }).getByText("2 selected")).toBeVisible();
    await screen.getByRole("button", { name: "Set role" }).click();
    const dialog = screen.getByRole("dialog", { name: "Set role of 2 accounts" });
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await screen.getByRole("option", { name: /^Role 8/ }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    const outcome = "1 account(s) failed to update! 1 account(s) was/were updated successfully.";
    await expect.element(dialog.getByText(outcome, { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: "Details" }).click();
    const failures = dialog.getByRole("list", { name: "Failures" });
    await expect.element(failures.getByText(/No permission to assign the given role\./)).toBeVisible();
    await expect.element(failures).toMatchTextContent(`Object ID: ${waiting._id} ${waiting.name}`);
  },
);

test(
  "AC-14 Save without a role says that nothing is changed; one account is one account",
  { tags: "prove" },
  async () => {
    const giver: Permissions = { ...everything, other: { canAssignRoles: below } };
    const tried: string[] = [];
    const { screen } = await open("/account?viewType=list", giver, [waiting, settled], [role(8)], {
      [`PUT /api/account/${settled._id}`]: () => ({ status: 200, body: tried.push("settled") }),
    });
    await screen.getByRole("checkbox", { name: `Select ${settled.name}` }).click();
    await screen.getByRole("button", { name: "Set role" }).click();
    const dialog = screen.getByRole("dialog", { name: "Set role of 1 account", exact: true });
    await expect.element(dialog.getByText("This replaces the current role of 1 account.")).toBeVisible();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("Saving FailedNo changes specified");
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.element(screen.getByRole("toolbar", { name: "Selection" }).getByText("1 selected")).toBeVisible();
    expect(tried).toEqual([]);
  },
);

test("AC-14 all accounts of a batch deleted: the outcome says so", async () => {
  const gone = { status: 200, body: settled };
  const { screen } = await open("/account?viewType=list", everything, [waiting, settled], [], {
    [`DELETE /api/account/${waiting._id}`]: gone,
    [`DELETE /api/account/${settled._id}`]: gone,
  });
  await screen.getByRole("checkbox", { name: "Select page" }).click();
  await screen.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Delete" }).click();
  const dialog = screen.getByRole("dialog", { name: "Delete 2 accounts" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect.element(dialog.getByText("Successfully deleted all 2 account(s)!", { exact: true })).toBeVisible();
});

const tooMuch = role(8, { owner: { canCreateOwner: true, canViewOwner: { roles: [id(6)] } } });
test.each<[code: number, what: string, Permissions, object[], says: string]>(
  everyNth(3, [
    [5, "no role", everything, [], "You can not change the account's role because there is no role existing."],
    [
      6,
      "no role may be assigned",
      { ...everything, other: {} },
      [role(8)],
      "You can not change the account's role because you have no roles to assign.",
    ],
    [
      6,
      "every role is more powerful than one's own",
      everything,
      [tooMuch],
      "You can not change the account's role because you have no roles to assign.",
    ],
  ]),
)("ER-01 client code %i: setting a role when there is %s", async (_code, _what, permissions, roles, says) => {
  const { screen } = await open("/account?viewType=list", permissions, [settled], roles);
  await screen.getByRole("checkbox", { name: "Select page" }).click();
  await screen.getByRole("button", { name: "Set role" }).click();
  const alert = screen.getByRole("alert").filter({ hasText: "Failed to update account." });
  await expect.element(alert.getByText(says, { exact: true })).toBeVisible();
  expect(screen.getByRole("dialog").elements()).toEqual([]);
  await alert.getByRole("button", { name: "Close" }).click();
  await expect.element(alert).not.toBeInTheDocument();
});

test("PE-02 an account with a hidden role is offered roles based on its current role", async () => {
  const held = id(5);
  const byRole: Permissions = {
    other: { canAssignRoles: { roles: [held] } },
    ownable: { role: { canViewObject: below } },
    owner: { canViewOwner: below, canEditOwner: below },
  };
  const hidden = { ...settled, role: null };
  const standing = (roleId: string | null): StubbedResponses => ({
    [`GET /api/account/${settled._id}`]: { status: 200, body: hidden },
    "GET /api/rights/owners": {
      status: 200,
      body: [{ _id: settled._id, parentAccounts: [me._id], roleId, hasChildren: false }],
    },
  });
  const { screen } = await open(`/account/${settled._id}`, byRole, [me, hidden], [role(5), role(6)], standing(held));
  // The list behind the dialog has a filter with the same name.
  await screen.getByRole("dialog").getByRole("combobox", { name: "Role" }).click();
  await expect.element(screen.getByRole("option", { name: /^Role 6/ })).toBeVisible();
  await screen.unmount();
  // The user may only assign roles to accounts that have role 5. This account has another role, so no role is offered.
  const other = await open(`/account/${settled._id}`, byRole, [me, hidden], [role(5), role(6)], standing(null));
  await expect.element(other.screen.getByText("You can't assign any role.")).toBeVisible();
});

test("PE-02 root can't be deleted or get another role, and a parent account says why it stays", async () => {
  const root = { ...me, parentAccounts: [] };
  const standing = (_: unknown, query: URLSearchParams) => ({
    status: 200,
    body: query.getAll("ids").map((one) => ({
      _id: one,
      parentAccounts: one === root._id ? [] : [root._id],
      roleId: null,
      hasChildren: one === settled._id,
    })),
  });
  const more: StubbedResponses = {
    "GET /api/auth/user": { status: 200, body: { ...root, permissions: everything, email: "a1@example.com" } },
    "GET /api/rights/owners": standing,
    [`GET /api/account/${root._id}`]: { status: 200, body: root },
    "GET /api/auth/sessions": notFound,
    "GET /api/auth/remote-consent": { status: 200, body: { required: false } },
    "GET /api/auth/feed-token": { status: 200, body: { createdAt: null } },
    "GET /api/auth/weekly-report": notFound,
  };
  const { screen } = await open("/account?viewType=list", everything, [root, settled], [role(5)], more);
  const stays = screen.getByRole("button", { name: "Delete Settled" }).first();
  await expect.element(stays).toHaveAttribute("aria-description", "This account has sub-accounts. Delete them first");
  expect(screen.getByRole("button", { name: "Delete Northwind" }).elements()).toEqual([]);
  await screen.unmount();
  const edit = await open(`/account/${root._id}`, everything, [root], [role(5)], more);
  await expect.element(edit.screen.getByText("The root account keeps its role")).toBeVisible();
  await edit.screen.unmount();
  const mine = await open("/myaccount", everything, [root], [], more);
  await expect
    .element(mine.screen.getByText("Close your account"))
    .toHaveAttribute("aria-description", "The root account can't be deleted");
});

test("AC-12 deleting another account requires typing its name; otherwise Delete shows the error", async () => {
  const asked: string[] = [];
  const { screen, address } = await open(`/account/delete/${settled._id}?viewType=list`, everything, [settled], [], {
    [`DELETE /api/account/${settled._id}`]: () => ({
      status: 200,
      body: { _id: asked.push("settled") && settled._id },
    }),
  });
  const dialog = screen.getByRole("alertdialog", { name: "Delete Account" });
  const remove = dialog.getByRole("button", { name: "Delete", exact: true });
  await dialog.getByLabelText("Type Settled to confirm").fill("settled");
  await remove.click();
  await expect
    .element(dialog.getByLabelText("Type Settled to confirm"))
    .toHaveAccessibleDescription(/Type Settled first/);
  await expect.element(dialog.getByLabelText("Type Settled to confirm")).toHaveFocus();
  expect(asked).toEqual([]);
  await dialog.getByLabelText("Type Settled to confirm").fill("Settled");
  await remove.click();
  await expect.poll(() => asked).toEqual(["settled"]);
  await expect.poll(address).toBe("/account?viewType=list");
});

test(
  "'Keep for later' says that logins are not kept, and is not offered where nothing else was entered",
  { tags: "prove" },
  async () => {
    const { screen } = await open(`/account/${settled._id}`, everything, [me, settled], [role(7)]);
    const dialog = screen.getByRole("dialog", { name: "Settled" });
    await dialog.getByRole("button", { name: "Add Credentials" }).click();
    await dialog.getByRole("button", { name: "Close" }).click();
    const question = screen.getByRole("alertdialog", { name: "Discard changes?" });
    await expect.element(question.getByText(/They will be lost if you leave\.$/)).toBeVisible();
    expect(question.getByRole("button", { name: "Keep for later" }).elements()).toEqual([]);
    await question.getByRole("button", { name: "Keep editing" }).click();
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("Settled 2");
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.element(question.getByText(/Changes to logins and passwords are not kept\.$/)).toBeVisible();
    await question.getByRole("button", { name: "Keep for later" }).click();
    await expect.element(dialog).not.toBeInTheDocument();
    expect(Object.keys(sessionStorage).filter((key) => key.includes(settled._id))).toHaveLength(1);
  },
);
