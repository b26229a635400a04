// Tests the health of customers: order, links, drill-down, filters, and the empty states.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Customer } from "@psp/contract/customer/customer.api.ts";
import { expect, test } from "vitest";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";

const everywhere = { me: true, myChildren: true };
const viewing = { canViewObject: everywhere };
const permissions: Permissions = {
  owner: { canViewOwner: everywhere },
  ownable: { sensor: viewing, measurement: viewing, artifact: viewing },
};
const role = { _id: "00000000-0000-7000-8000-000000000007", name: "Dealer", owner: null };
const idOf = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;
const me = plainAccount({ _id: idOf(1), name: "Northwind", role });
const region = plainAccount({ _id: idOf(2), name: "Region South", parentAccounts: [me._id] });
const shop = plainAccount({ _id: idOf(3), name: "Old Town", parentAccounts: [me._id, region._id] });

const customer = (of: { _id: string; name: string }, more: Partial<Customer> = {}): Customer => ({
  _id: of._id,
  name: of.name,
  children: 0,
  sensors: 0,
  offline: 0,
  errors: 0,
  warnings: 0,
  outdated: 0,
  completeness: null,
  lastSignInAt: null,
  ...more,
});

const troubled = customer(region, { children: 1, sensors: 12, errors: 3, offline: 2, outdated: 5, completeness: 0.93 });

function server(asked: URLSearchParams[], mine: Permissions = permissions, found: Customer[] = [troubled]) {
  const answers: StubbedResponses = {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions: mine, email: "me@example.com" } },
    "GET /api/account": (_, query) => {
      const ids = query.getAll("ids");
      return listResponse([me, region, shop].filter(({ _id }) => ids.length === 0 || ids.includes(_id)));
    },
    "GET /api/v2/customer": (_, query) => {
      asked.push(query);
      return listResponse(query.get("parentID") === region._id ? [customer(shop, { sensors: 1 })] : found);
    },
  };
  return answers;
}

test("AC-01 customers are asked for worst first, and each number links to the list that it counts", async () => {
  const asked: URLSearchParams[] = [];
  const { screen } = await openConsole("/customers", server(asked));
  const link = (name: string) => screen.getByRole("link", { name });
  await expect.element(link("3 sensors of Region South with errors")).toBeVisible();
  expect(asked[0]?.getAll("sortBy")).toEqual(["-errors"]);
  const tree = `ownerTreeID=${region._id}`;
  const links = {
    "3 sensors of Region South with errors": `/sensor?${tree}&issueStatus=Error`,
    "2 offline sensors of Region South": `/sensor?${tree}&connected=disconnected`,
    "5 sensors of Region South with outdated firmware": `/sensor?${tree}&outdated=true`,
    "12 sensors of Region South": `/sensor?${tree}`,
    "93 % of the expected data of Region South yesterday": `/location/counts?${tree}&range=yesterday`,
  };
  for (const [name, href] of Object.entries(links))
    await expect.element(screen.getByRole("link", { name, exact: true })).toHaveAttribute("href", href);
  expect(screen.getByRole("link", { name: "with warnings" }).query()).toBeNull();
  await expect.element(screen.getByRole("button", { name: "Health" })).toHaveAttribute("aria-pressed", "true");
});

test("AC-01 a name leads to its sub-accounts, the path leads back, and the account itself can be opened", async () => {
  const { screen } = await openConsole("/account?viewType=health", server([]));
  await screen.getByRole("link", { name: "Region South", exact: true }).click();
  const path = screen.getByRole("navigation", { name: "Path to this account" });
  await expect.element(path).toMatchTextContent(/All customers.*Region South/);
  await expect.element(screen.getByRole("button", { name: "Open account Old Town" })).toBeVisible();
  // The pointer is still over the table, which must not keep rows of the former account.
  await expect.element(screen.getByRole("row", { name: /Region South/ })).not.toBeInTheDocument();
  // Without sub-accounts, the name opens the account.
  const shopLink = screen.getByRole("link", { name: "Old Town", exact: true });
  await expect.element(shopLink).toHaveAttribute("href", `/account/${shop._id}?viewType=health&parentID=${region._id}`);
  await path.getByRole("link", { name: "All customers" }).click();
  await expect.element(screen.getByRole("link", { name: "Region South", exact: true })).toBeVisible();
});

test("AC-01 columns of lists that the user may not open are left out", async () => {
  const { screen } = await openConsole("/account?viewType=health", server([], { owner: { canViewOwner: everywhere } }));
  await expect.element(screen.getByRole("columnheader", { name: "Last sign-in" })).toBeVisible();
  for (const name of ["Errors", "Offline", "Outdated", "Sensors", "Data yesterday"])
    expect(screen.getByRole("columnheader", { name }).query()).toBeNull();
});

test("AC-01 without customers the page says so, and its views can still be switched", async () => {
  const { screen } = await openConsole("/account?viewType=health", server([], permissions, []));
  await expect.element(screen.getByText("No customers yet")).toBeVisible();
  await screen.getByRole("button", { name: "List view" }).click();
  await expect.element(screen.getByRole("button", { name: "List view" })).toHaveAttribute("aria-pressed", "true");
});
