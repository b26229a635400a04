// Tests that a tree too big for one request loads its branches when they are opened.
import { expect, test } from "vitest";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { plainAccount } from "../../testing/objects.ts";

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const account = (n: number, name: string, parentAccounts: string[]) =>
  plainAccount({ _id: idOf(n), name, parentAccounts });

const top = account(1, "Top", []);
const dealers = Array.from({ length: 3 }, (_, n) => account(10 + n, `Dealer ${n}`, [top._id]));
const customers = dealers.flatMap((dealer, d) =>
  Array.from({ length: 120 }, (_, n) =>
    account(1000 + d * 200 + n, `Customer ${d}.${String(n).padStart(3, "0")}`, [top._id, dealer._id]),
  ),
);
const everybody = [top, ...dealers, ...customers];

const mayView = { owner: { canViewOwner: { me: true, myChildren: true } } };

function server(asked: string[]): StubbedResponses {
  return {
    "GET /api/auth/user": {
      status: 200,
      body: {
        ...top,
        permissions: mayView,
        email: "top@example.com",
      },
    },
    "GET /api/account": (_, query) => {
      const parents = query.getAll("parentID");
      if (parents.length === 1) asked.push(everybody.find(({ _id }) => _id === parents[0])?.name ?? "");
      const found = everybody.filter(({ parentAccounts }) => {
        const parent = parentAccounts.at(-1);
        if (query.get("topLevel") === "true") return parent === undefined;
        return parents.length === 0 || (parent !== undefined && parents.includes(parent));
      });
      const skip = Number(query.get("skip") ?? 0);
      const objects = found.slice(skip, skip + Number(query.get("limit") ?? 50));
      return { status: 200, body: { objects, total: found.length } };
    },
  };
}

test("AC-02 of a big tree the top is open; a branch is fetched when it is opened, a hundred at a time", async () => {
  const asked: string[] = [];
  const { screen } = await openConsole("/account", server(asked));
  const line = (name: string) => screen.getByRole("treeitem", { name: new RegExp(`^${name}`) });
  await expect.element(line("Top")).toHaveAttribute("aria-expanded", "true");
  await expect.element(line("Dealer 1")).toHaveAttribute("aria-expanded", "false");
  expect(asked).not.toContain("Dealer 1");
  (line("Dealer 1").element().querySelector("[data-toggle]") as HTMLElement).click();
  await expect.element(line("Customer 1.000")).toBeVisible();
  await expect.element(line("Customer 1.099")).toBeInTheDocument();
  expect(line("Customer 1.100").query()).toBeNull();
  expect(asked).not.toContain("Dealer 2");
  await screen.getByRole("button", { name: "Show more (20 left)" }).click();
  await expect.element(line("Customer 1.119")).toBeInTheDocument();
});

test("AC-02 a small tree is open all the way down", async () => {
  const few = [...everybody.slice(0, 4), ...customers.slice(0, 3)];
  const { screen } = await openConsole("/account", {
    ...server([]),
    "GET /api/account": () => ({ status: 200, body: { objects: few, total: few.length } }),
  });
  await expect.element(screen.getByRole("treeitem", { name: /^Customer 0\.002/ })).toBeVisible();
  await expect.element(screen.getByRole("treeitem", { name: /^Dealer 0/ })).toHaveAttribute("aria-expanded", "true");
});

test(
  "AC-02 the list view is there again when accounts are opened the next time, until the tree is chosen",
  { tags: "prove" },
  async () => {
    const few = everybody.slice(0, 4);
    const answers: StubbedResponses = {
      ...server([]),
      "GET /api/account": () => ({ status: 200, body: { objects: few, total: few.length } }),
    };
    const first = await openConsole("/account", answers);
    await first.screen.getByRole("button", { name: "List view" }).click();
    await expect.poll(first.address).toBe("/account?viewType=list");
    await first.screen.unmount();
    const second = await openConsole("/account", answers);
    await expect.poll(second.address).toBe("/account?viewType=list");
    await second.screen.getByRole("button", { name: "Tree view" }).click();
    await expect.poll(second.address).toBe("/account");
    await expect.element(second.screen.getByRole("treeitem").first()).toBeVisible();
    expect(localStorage.getItem("psp-lists")).toBeNull();
  },
);

test("AC-05 own parents are hidden, and a role that can't be viewed says so", async () => {
  const above = account(9, "Above", []);
  const me = { ...top, parentAccounts: [above._id] };
  const visible = [above, me, { ...account(2, "Branch", [above._id, me._id]), role: null }];
  const { screen } = await openConsole("/account?viewType=list", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions: mayView, email: "top@example.com" } },
    "GET /api/account": (_, query) => {
      const objects = visible.filter(({ _id }) => !query.getAll("exclude").includes(_id));
      return { status: 200, body: { objects, total: objects.length } };
    },
  });
  await expect.element(screen.getByText("Branch", { exact: true }).first()).toBeVisible();
  expect(screen.getByText("Above", { exact: true }).query()).toBeNull();
  await screen.getByRole("button", { name: "-", exact: true }).last().hover();
  await expect.element(screen.getByText("This role is either deleted or you don't have access to it")).toBeVisible();
});
