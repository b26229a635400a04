// Measures waiting times on the accounts page with 10,000 accounts in a real browser: tree, branch, filter, sorting.
// Usage: node bench/campaigns/accounts-page.ts [--accounts 10000] [--rounds 5]; needs a built console.
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import pg from "pg";
import { createStopwatch, openConsole } from "../console.ts";
import { createProduct, signIn } from "../product.ts";

const { values } = parseArgs({
  options: { accounts: { type: "string", default: "10000" }, rounds: { type: "string", default: "5" } },
});
const accounts = Number(values.accounts);
const limitMs = 1000;

/**
 * Inserts a hundred dealers below root. The first gets a thousand customers, and the other customers are spread over all dealers.
 */
async function fill(databaseUrl: string, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const id = (n: string) => `('00000000-0000-7000-9000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  const label = (n: string) => `lpad((${n})::text, 5, '0')`;
  await client.query("select setval('account_label', 900000000)");
  await client.query(
    `insert into account (id, name, parent_id, ancestor_ids, path, role_id)
     select ${id("n")}, 'Dealer ' || n, r.id, array[r.id], r.path || ${label("n")}, $1
     from generate_series(1, 100) n, account r where r.parent_id is null`,
    [role],
  );
  await client.query(
    `insert into account (id, name, parent_id, ancestor_ids, path, role_id)
     select ${id("n")}, 'Customer ' || md5(n::text), d.id, d.ancestor_ids || d.id, d.path || ${label("n")}, $1
     from generate_series(101, $2::int - 1) n
     join account d on d.id = ${id("case when n <= 1100 then 1 else n % 100 + 1 end")}`,
    [role, accounts],
  );
  await client.query(
    `insert into credential (id, account_id, email, step)
     select gen_random_uuid(), id, 'login-' || substr(id::text, 25) || '@example.com', case when random() < 0.9 then 2 else 0 end
     from account where parent_id is not null`,
  );
  await client.query("vacuum analyze");
  await client.end();
}

const stopwatch = createStopwatch();

async function round(page: Page, n: number): Promise<void> {
  const { timed } = stopwatch;
  const item = (name: string) => page.getByRole("treeitem", { name: new RegExp(`^${name}\\s`) }).first();
  const row = (name: RegExp | string) => page.getByRole("row", { name }).first();
  await page.goto("/role");
  await page.getByRole("heading", { name: "Roles" }).waitFor();
  await timed(
    "tree open (from another page)",
    () => page.getByRole("link", { name: "Accounts" }).first().click(),
    () => item("Dealer 1").waitFor(),
  );
  await item("Dealer 1").focus();
  await timed(
    "open a branch of 1,000",
    () => page.keyboard.press("ArrowRight"),
    () => page.getByRole("treeitem", { level: 3 }).nth(50).waitFor(),
  );
  const search = page.getByRole("textbox", { name: "Search by name" });
  await timed(
    "filter in the tree (300 ms debounce included)",
    () => search.fill(`Dealer ${40 + n}`),
    () => Promise.all([item(`Dealer ${40 + n}`).waitFor(), item("Dealer 2").waitFor({ state: "detached" })]),
  );
  await search.fill("");
  await item("Dealer 2").waitFor();
  await timed(
    "switch to the list",
    () => page.getByRole("button", { name: "List view" }).click(),
    () => row(/^Select .*Customer 0/).waitFor(),
  );
  await timed(
    "sort by name, descending",
    () => page.getByRole("columnheader", { name: "Name" }).getByRole("button").first().click(),
    () => row(/Dealer 99/).waitFor(),
  );
  await timed(
    "filter in the list (300 ms debounce included)",
    () => search.fill(`abc`),
    () =>
      page
        .getByRole("row", { name: /Dealer 99/ })
        .first()
        .waitFor({ state: "detached" }),
  );
  await search.fill("");
  await row(/Dealer 99/).waitFor();
  await timed(
    "last page of the list",
    () =>
      page
        .getByRole("button", { name: /page 200$/i })
        .first()
        .click(),
    () => row(/Customer 0/).waitFor(),
  );
}

const product = await createProduct();
try {
  await product.start();
  const api = await signIn(product.url);
  const { _id: owner } = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const role = await api.call<{ _id: string }>("POST", "/api/role", { name: "Customer", owner, permissions: {} });
  await fill(await product.databaseUrl(), role._id);
  const { page, end } = await openConsole(product);
  for (let n = 0; n < Number(values.rounds); n += 1) await round(page, n);
  await end();
} finally {
  await product.end();
}
process.exitCode = stopwatch.report(limitMs) ? 0 : 1;
