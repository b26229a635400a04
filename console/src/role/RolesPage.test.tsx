// Tests empty states, permissions, messages and refusals of the role pages with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { applyLiveMessages, queryClient } from "../api/query-client.ts";
import { type StubbedResponses, notFound, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";
import { waitForAppearance } from "../testing/shown.ts";

const ids = {
  root: "00000000-0000-4000-8000-000000000001",
  self: "00000000-0000-4000-8000-000000000002",
  child: "00000000-0000-4000-8000-000000000003",
  stranger: "00000000-0000-4000-8000-000000000004",
  ownRole: "00000000-0000-4000-8000-00000000000a",
  role: "00000000-0000-4000-8000-00000000000b",
  other: "00000000-0000-4000-8000-00000000000c",
};
const below = { me: true, myChildren: true };
const all: Permissions = {
  ownable: {
    role: {
      canViewObject: below,
      canEditObject: below,
      canDeleteObject: below,
      canCreateObjectFor: below,
      canChangeOwner: { from: below, to: below },
    },
  },
  owner: { canViewOwner: below },
};
const onlyView: Permissions = { ownable: { role: { canViewObject: below } }, owner: { canViewOwner: { me: true } } };

const onlyCreate: Permissions = {
  ownable: { role: { canViewObject: below, canCreateObjectFor: { me: true } } },
  owner: { canViewOwner: { me: true } },
};

const account = (_id: string, name: string, parentAccounts: string[]) =>
  plainAccount({ _id, name, parentAccounts, role: { _id: ids.ownRole, name: "Own", owner: null } });
const self = account(ids.self, "Self", [ids.root]);
const child = account(ids.child, "Child", [ids.root, ids.self]);

function role(_id: string, name: string, owner: { _id: string; name: string }, permissions: Permissions = {}) {
  return { _id, name, owner: { ...owner, isDeleted: false }, permissions, isDeleted: false, version: 3 };
}
const roles = [
  role(ids.role, "Porter", { _id: ids.child, name: "Child" }),
  role(ids.other, "Foreign", { _id: ids.stranger, name: "Stranger" }),
];

function answers(permissions: Permissions | null, listed = roles, more: StubbedResponses = {}): StubbedResponses {
  return {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "self@example.com" } },
    "GET /api/account": listResponse(
      permissions === null ? [] : [self, child, account(ids.stranger, "Stranger", [ids.root])],
    ),
    "GET /api/role": listResponse(listed),
    ...Object.fromEntries(listed.map((each) => [`GET /api/role/${each._id}`, { status: 200, body: each }])),
    ...Object.fromEntries(listed.map((each) => [`PUT /api/role/${each._id}/stronger`, notFound])),
    ...more,
  };
}

test("RO-01 nothing there: the empty state, with 'Create role' only where the role allows it", async () => {
  const { screen } = await openConsole("/role", answers(all, []));
  await expect.element(screen.getByText("No roles existing")).toBeVisible();
  await expect.element(screen.getByText("With roles you can assign permissions to accounts.")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Create role" }).first()).toBeVisible();
  await screen.unmount();
  const poor = await openConsole("/role", answers(onlyView, []));
  await expect.element(poor.screen.getByText("No roles existing")).toBeVisible();
  expect(poor.screen.getByRole("button", { name: "Create role" }).elements()).toHaveLength(0);
});

test("RO-01 the search quotes what was not found, and 'Show all roles' clears it", async () => {
  const { screen, address } = await openConsole("/role?name=xyz", answers(all, []));
  await expect.element(screen.getByText('No roles found for "xyz".')).toBeVisible();
  await screen.getByRole("button", { name: "Show all roles" }).click();
  await expect.poll(address).toBe("/role");
});

test(
  "RO-02 no account at all and no account that allows it are distinguished, and the dialog closes",
  { tags: "prove" },
  async () => {
    const { screen, address } = await openConsole("/role/new", answers(onlyView));
    await expect
      .element(
        page.getByText("You can not create a role because there is no account you can create it for.", {
          exact: false,
        }),
      )
      .toBeVisible();
    await expect.poll(address).toBe("/role");
    await screen.unmount();
    const none = await openConsole("/role/new", answers(null));
    await expect
      .element(page.getByText("You can't create a role because no account exists.", { exact: false }))
      .toBeVisible();
    await expect.poll(none.address).toBe("/role");
  },
);

test(
  "RO-02 the only possible owner is preselected, the name is sent trimmed, and the editor opens",
  { tags: "prove" },
  async () => {
    const meOnly: Permissions = {
      ownable: { role: { canViewObject: below, canCreateObjectFor: { me: true } } },
      owner: { canViewOwner: below },
    };
    let sent: unknown;
    const post = { "POST /api/role": (body: unknown) => ((sent = body), { status: 200, body: roles[0] }) };
    const { address } = await openConsole("/role/new?name=P", answers(meOnly, roles, post));
    const dialog = page.getByRole("dialog", { name: "New Role" });
    await expect.element(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue("Self");
    await dialog.getByRole("textbox", { name: "Name" }).fill("  Porter ");
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect.poll(address).toBe(`/role/${ids.role}?name=P`);
    expect(sent).toEqual({ name: "Porter", owner: ids.self, permissions: {} });
    await expect.element(page.getByRole("dialog", { name: "Porter Role" })).toBeVisible();
  },
);

test("RO-02 a blank name and one with special characters say at the field what is wrong", async () => {
  await openConsole("/role/new", answers(all));
  const dialog = page.getByRole("dialog", { name: "New Role" });
  for (const [name, sentence] of [
    ["   ", "The name is required"],
    ["a<b", "Invalid input. Remove special characters like '<>', '[]', '{}'."],
  ] as const) {
    await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    await userEvent.tab();
    await expect.element(dialog.getByText(sentence)).toBeVisible();
  }
});

test("RO-02 the edit dialog sends only what changed, and no owner that did not", async () => {
  let sent: unknown;
  const put = { [`PUT /api/role/${ids.role}`]: (body: unknown) => ((sent = body), { status: 200, body: roles[0] }) };
  const { address } = await openConsole(`/role/${ids.role}`, answers(all, roles, put));
  const dialog = page.getByRole("dialog", { name: "Porter Role" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Porter two");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(address).toBe("/role");
  expect(sent).toEqual({ name: "Porter two" });
});

test("RO-02 who leaves while a change is being saved stays where they went", { tags: "prove" }, async () => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  const isAsked = vi.fn();
  const put = async () => {
    isAsked();
    await held;
    return { status: 200, body: roles[0] };
  };
  const { address, back } = await openConsole("/privacy", answers(all, roles, { [`PUT /api/role/${ids.role}`]: put }));
  await page.getByRole("link", { name: "Roles" }).click();
  await page.getByText("Porter").click();
  const dialog = page.getByRole("dialog", { name: "Porter Role" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Doorman");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => isAsked.mock.calls).toHaveLength(1);
  back();
  await expect.poll(address).toBe("/role");
  back();
  await expect.poll(address).toBe("/privacy");
  answer();
  await expect.poll(() => queryClient.isMutating()).toBe(0);
  await expect.poll(address).toBe("/privacy");
});

test(
  "RO-04 the server's 308 is shown with its sentence and the right that went too far",
  { tags: "prove" },
  async () => {
    const put: StubbedResponses = {
      [`PUT /api/role/${ids.role}`]: {
        status: 403,
        body: {
          code: 308,
          error: "The role can not have more powerful permissions than your own role.",
          details: {
            scope: "ownable.role.canEditObject",
            reason: "You can't give more access than your own role has: Role › Edit.",
          },
        },
      },
    };
    const { address } = await openConsole(`/role/${ids.role}`, answers(all, roles, put));
    const dialog = page.getByRole("dialog", { name: "Porter Role" });
    await dialog.getByRole("tab", { name: "Role" }).click();
    await dialog.getByRole("group", { name: "Edit" }).getByRole("switch", { name: "Me" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.element(page.getByText("Failed to update role.", { exact: false }).first()).toBeVisible();
    await expect
      .element(
        page.getByText("The role can not have more powerful permissions than your own role.", { exact: false }).first(),
      )
      .toBeVisible();
    await expect
      .element(
        page.getByText("You can't give more access than your own role has: Role › Edit.", { exact: false }).first(),
      )
      .toBeVisible();
    await expect.poll(address).toBe(`/role/${ids.role}`);
  },
);

test(
  "RO-03 the tabs work by keyboard, and a right that the editor lacks says why it is off",
  { tags: "prove" },
  async () => {
    await openConsole(`/role/${ids.role}`, answers(all));
    const dialog = page.getByRole("dialog", { name: "Porter Role" });
    const owner = dialog.getByRole("tab", { name: "Owner" });
    await expect.element(owner).toHaveAttribute("aria-selected", "true");
    (owner.element() as HTMLElement).focus();
    await userEvent.keyboard("{ArrowRight}{ArrowRight}");
    await expect.element(dialog.getByRole("tab", { name: "Sensor" })).toHaveAttribute("aria-selected", "true");
    const me = dialog.getByRole("tabpanel", { name: "Sensor" }).getByRole("group", { name: "Delete" });
    const off = me.getByRole("switch", { name: "Me" });
    await expect.element(off).toHaveAttribute("aria-disabled", "true");
    await expect.element(off).toHaveAttribute("aria-description", "Your own role doesn't have this permission");
    (off.element() as HTMLElement).focus();
    await userEvent.keyboard(" ");
    await expect.element(off).not.toBeChecked();
  },
);

test("RO-02 somebody else's role opens read-only: no Save, and its delete address says why not", async () => {
  const { screen } = await openConsole(`/role/${ids.other}`, answers(all));
  const dialog = page.getByRole("dialog", { name: "Foreign Role" });
  await expect.element(dialog.getByRole("button", { name: "Cancel" })).toBeVisible();
  expect(dialog.getByRole("button", { name: "Save" }).elements()).toHaveLength(0);
  await screen.unmount();
  const gone = await openConsole(`/role/delete/${ids.other}`, answers(all));
  await expect.element(page.getByText("You don't have permission to delete this role", { exact: false })).toBeVisible();
  await expect.poll(gone.address).toBe("/role");
});

test("RO-05 a batch tells of each role that could not be deleted, and closing clears the selection", async () => {
  const deleted: string[] = [];
  const remove: StubbedResponses = {
    [`DELETE /api/role/${ids.role}`]: () => (deleted.push(ids.role), { status: 200, body: { _id: ids.role } }),
    [`DELETE /api/role/${ids.other}`]: () => (deleted.push(ids.other), { status: 200, body: { _id: ids.other } }),
  };
  const { screen } = await openConsole("/role", answers(all, roles, remove));
  await screen.getByRole("checkbox", { name: "Select Porter" }).click();
  await screen.getByRole("checkbox", { name: "Select Foreign" }).click();
  const bar = screen.getByRole("toolbar", { name: "Selection" });
  await bar.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 2 roles" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect
    .element(dialog.getByText("1 role(s) failed to get deleted! 1 role(s) was/were deleted successfully."))
    .toBeVisible();
  await expect.element(dialog.getByText("You don't have permission to delete this role").first()).toBeVisible();
  expect(deleted).toEqual([ids.role]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect.element(bar).not.toBeInTheDocument();
});

test("RO-05 a batch tells how many roles could not be handed over, how many could, and why", async () => {
  const put: StubbedResponses = { [`PUT /api/role/${ids.role}`]: { status: 200, body: roles[0] } };
  const { screen } = await openConsole("/role", answers(all, roles, put));
  await screen.getByRole("checkbox", { name: "Select Porter" }).click();
  await screen.getByRole("checkbox", { name: "Select Foreign" }).click();
  await screen.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Set owner" }).click();
  const dialog = page.getByRole("dialog", { name: "Set the owner of 2 roles" });
  await dialog.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name: /^Child/ }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  const outcome = "1 role(s) failed to update! 1 role(s) was/were updated successfully.";
  await expect.element(dialog.getByText(outcome, { exact: true })).toBeVisible();
  const why = `This role ${ids.other} can't be assigned to this owner ${ids.child}`;
  await expect.element(dialog.getByText(why, { exact: true }).first()).toBeVisible();
});

test("RO-04 reducing a role lists the roles that keep its former rights", { tags: "prove" }, async () => {
  const strong = {
    ...roles[0],
    permissions: { owner: { canViewOwner: { me: true } }, ownable: { role: { canEditObject: below } } },
  };
  const asked: unknown[] = [];
  const replies: StubbedResponses = {
    [`GET /api/role/${ids.role}`]: { status: 200, body: strong },
    [`PUT /api/role/${ids.role}`]: { status: 200, body: { ...strong, permissions: {}, version: 4 } },
    [`PUT /api/role/${ids.role}/stronger`]: (body) => {
      asked.push(body);
      const isWhole = JSON.stringify(body).includes('"myChildren":true');
      const kept = { ...roles[1], rights: ["ownable.role.canEditObject"] };
      return { status: 200, body: isWhole ? { objects: [], total: 0 } : { objects: [kept], total: 1 } };
    },
  };
  const { address } = await openConsole(
    `/role/${ids.role}`,
    answers(all, [strong as (typeof roles)[0], ...roles.slice(1)], replies),
  );
  const dialog = page.getByRole("dialog", { name: "Porter Role" });
  await dialog.getByRole("tab", { name: "Role" }).click();
  await expect.poll(() => asked).toHaveLength(1);
  expect(dialog.getByText("will keep permissions", { exact: false }).elements()).toEqual([]);
  await dialog.getByRole("group", { name: "Edit" }).getByRole("switch", { name: "My children" }).click();
  await expect
    .element(
      dialog.getByText(
        "If you save, 1 role created by accounts with this role will keep permissions that this role loses:",
      ),
    )
    .toBeVisible();
  const kept = dialog.getByRole("listitem").filter({ hasText: "of Stranger: Role › Edit" });
  await expect.element(kept.getByRole("link", { name: "Foreign" })).toHaveAttribute("href", `/role/${ids.other}`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(address).toBe("/role");
  await expect
    .element(page.getByText("Saved. 1 role created earlier still has permissions that this role no longer has."))
    .toBeVisible();
  await page.getByRole("button", { name: "Show them" }).click();
  await expect.poll(address).toBe(`/role/${ids.role}`);
});

test(
  "RO-03 the server counts what the edited permissions would give the selected account",
  { tags: "prove" },
  async () => {
    const asked: { account: string }[] = [];
    const seesSensors: Permissions = { ...all, ownable: { ...all.ownable, sensor: { canViewObject: below } } };
    await openConsole(
      `/role/${ids.role}`,
      answers(seesSensors, roles, {
        [`PUT /api/role/${ids.role}/preview`]: (body) => {
          asked.push(body as { account: string });
          return { status: 200, body: { accounts: 1234, sensors: 98765 } };
        },
      }),
    );
    const preview = page
      .getByRole("dialog", { name: "Porter Role" })
      .getByRole("region", { name: "Effect of this role" });
    await expect.element(preview.getByText("Self sees 98,765 sensors of 1,234 accounts.")).toBeVisible();
    await preview.getByRole("combobox", { name: "Preview for account" }).click();
    await page.getByRole("option", { name: /^Child/ }).click();
    await expect.element(preview.getByText("Child sees 98,765 sensors of 1,234 accounts.")).toBeVisible();
    expect(asked.at(-1)).toEqual({ account: ids.child, permissions: { owner: { canViewOwner: { me: true } } } });
  },
);

test("RO-02 what is being typed stays when somebody hands the role over meanwhile", { tags: "prove" }, async () => {
  const [mine] = roles as [(typeof roles)[0]];
  await openConsole(`/role/${ids.role}`, answers(all));
  const dialog = page.getByRole("dialog", { name: "Porter Role" });
  await userEvent.fill(dialog.getByRole("textbox", { name: "Name" }), "Concierge");
  const obj = { ...mine, owner: { _id: ids.stranger, name: "Stranger", isDeleted: false }, version: 4 };
  applyLiveMessages(queryClient, [{ type: "role", op: "update", obj, seq: 1, cursor: "c1" }]);
  await expect.element(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue("Stranger");
  await expect.element(dialog.getByRole("textbox", { name: "Name" })).toHaveValue("Concierge");
});

test("RO-02 a role that is handed over out of the view is saved, and says so", async () => {
  const { address } = await openConsole(
    `/role/${ids.role}`,
    answers(all, roles, { [`PUT /api/role/${ids.role}`]: { status: 200, body: { _id: ids.role } } }),
  );
  const dialog = page.getByRole("dialog", { name: "Porter Role" });
  await userEvent.fill(dialog.getByRole("textbox", { name: "Name" }), "Concierge");
  const informed = waitForAppearance(page.getByText("Saved. This role is no longer visible to you."));
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(address).toBe("/role");
  await informed;
});

test(
  "RO-03 RO-04 a live overview of rights is next to the tabs; its cells open the settings",
  { tags: "prove" },
  async () => {
    const sensors: Permissions = {
      ...all,
      ownable: { ...all.ownable, sensor: { canViewObject: below, canEditObject: { relativeAncestorLevel: 1 } } },
    };
    const saved = [
      role(
        ids.role,
        "Porter",
        { _id: ids.child, name: "Child" },
        { ownable: { sensor: { canViewObject: { me: true } } } },
      ),
    ];
    const answered = answers(sensors, saved, {
      "GET /api/v2/sensor": { status: 200, body: { objects: [], total: 0 } },
      [`PUT /api/role/${ids.role}/stronger`]: { status: 200, body: { objects: [], total: 0 } },
      [`PUT /api/role/${ids.role}/preview`]: { status: 200, body: { accounts: 1, sensors: 0 } },
    });
    await openConsole(`/role/${ids.role}`, answered);
    const dialog = page.getByRole("dialog", { name: "Porter Role" });
    const overview = dialog.getByRole("table", { name: "Overview" });
    await expect.element(overview.getByRole("button", { name: "Sensor › View: own account, less" })).toBeVisible();
    await expect.element(overview.getByRole("button", { name: "Sensor › Edit: none, less" })).toBeVisible();
    await expect.element(overview.getByRole("button", { name: "Role › Edit: none, less" })).toBeVisible();

    await overview.getByRole("button", { name: /^Sensor › View/ }).click();
    const view = dialog.getByRole("tabpanel", { name: "Sensor" }).getByRole("group", { name: "View", exact: true });
    await expect.element(view.getByRole("switch", { name: "Me" })).toHaveFocus();
    await view.getByRole("switch", { name: "My children" }).click();
    await expect
      .element(overview.getByRole("button", { name: "Sensor › View: own account and all sub-accounts, same" }))
      .toBeVisible();

    // Any level where the user's own role has both; otherwise up to the user's own.
    await view.getByRole("textbox", { name: "Ancestor level" }).fill("100");
    await expect
      .element(overview.getByRole("button", { name: /^Sensor › View: .* the 100 nearest parent accounts, same$/ }))
      .toBeVisible();
    const edit = dialog.getByRole("tabpanel", { name: "Sensor" }).getByRole("group", { name: "Edit", exact: true });
    await edit.getByRole("textbox", { name: "Ancestor level" }).fill("2");
    await expect.element(edit.getByText("Your own role covers up to level 1")).toBeVisible();
    await expect
      .element(overview.getByRole("button", { name: /^Sensor › Edit: .*, more than your role$/ }))
      .toBeVisible();
    await expect
      .element(dialog.getByText("You can't give more access than your own role has: Sensor › Edit.", { exact: false }))
      .toBeVisible();
  },
);

test("RO-02 RO-04 a template is reduced to the user's own rights and lists what it left out", async () => {
  let sent: unknown;
  const post = { "POST /api/role": (body: unknown) => ((sent = body), { status: 200, body: roles[0] }) };
  const { address } = await openConsole("/role/new", answers(onlyCreate, roles, post));
  const dialog = page.getByRole("dialog", { name: "New Role" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Looker");
  await expect.element(dialog.getByRole("radio", { name: "Empty" })).toBeChecked();
  await dialog.getByRole("radio", { name: "Viewer" }).click();
  await expect
    .element(dialog.getByText("Omitted or reduced because your own role lacks them: Owner › View", { exact: false }))
    .toBeVisible();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect.poll(address).toBe(`/role/${ids.role}`);
  expect(sent).toEqual({
    name: "Looker",
    owner: ids.self,
    permissions: { ownable: { role: { canViewObject: below } }, owner: { canViewOwner: { me: true } } },
  });
  await expect.element(page.getByRole("dialog", { name: "Porter Role" })).toBeVisible();
});
