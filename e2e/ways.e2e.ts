// Tests navigation: history of each noun, links next to selects, counts that lead to lists, and search.

import type { Page } from "@playwright/test";
import { expect, newName, test } from "./world.ts";

type Listed = { _id: string; name: string }[];

const entry = (page: Page, text: string) =>
  page.getByRole("list", { name: "History" }).getByRole("listitem").filter({ hasText: text });

test(
  "who changed a role is found from the list of roles in two clicks, with the rights in words",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("operator");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const name = newName("Traced role");
    const { _id } = await api.post<{ _id: string }>("/api/role", { name, owner, permissions: {} });
    const permissions = { ownable: { sensor: { canViewObject: { me: true, myChildren: true } } } };
    await api.put(`/api/role/${_id}`, { permissions });
    await signIn(page, "operator");
    await page.goto(`/role?name=${encodeURIComponent(name)}`);
    await page.getByRole("cell", { name, exact: true }).click();
    await page.getByRole("tab", { name: "History" }).click();
    await expect(page).toHaveURL(/#history$/);
    await expect(entry(page, "not allowed → own account and all sub-accounts")).toContainText("Sensor › View");
    await expect(entry(page, "not allowed → own account and all sub-accounts")).toContainText("Northwind Dealers");
    await expect(entry(page, "Created")).toBeVisible();
  },
);

test(
  "a location's history grows while it is looked at, and leads to what its entries name",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const name = newName("Traced location");
    const { _id } = await api.post<{ _id: string }>("/api/measurement", { name, owner });
    await signIn(page, "customer");
    await page.goto(`/location/${_id}/general`);
    await page.getByRole("navigation", { name }).getByRole("link", { name: "History" }).click();
    await expect(page).toHaveURL(`/location/${_id}/history`);
    await expect(entry(page, "Created").getByRole("link", { name: "Harbour Stores" }).first()).toBeVisible();
    await api.put(`/api/measurement/${_id}`, { name: `${name} two` });
    await expect(entry(page, `${name} → ${name} two`)).toBeVisible();
  },
);

test(
  "T-30 the history export contains all pages of the filtered entries",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const { _id } = await api.post<{ _id: string }>("/api/init_token", { name: newName("Taken along"), owner });
    for (let n = 0; n < 30; n += 1) await api.put(`/api/init_token/${_id}`, { name: newName(`=SUM(${n})`) });
    await signIn(page, "customer");
    await page.goto(`/init-token/${_id}#history`);
    await expect(page.getByText(/^1–25 of \d+$/)).toBeVisible();
    const taken = async () => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download as CSV" }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(`history_init-token_${_id}.csv`);
      const chunks: Buffer[] = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString().trim().split("\n");
    };
    const [title, head, ...lines] = await taken();
    expect(title).toContain(`History of init-token ${_id}`);
    expect(head).toBe("Time (UTC),Who,ID,Action,Field,Old,New,Request");
    // Other lines are ignored, because viewing a token is recorded, too.
    const updates = lines.filter((line) => line.includes(",update,"));
    expect(updates).toHaveLength(30);
    expect(updates[0]).toMatch(/^\d{4}-\d\d-\d\d [\d:]+,Harbour Stores,.*,name,'=SUM\(28\).*,'=SUM\(29\)/);
    await page.getByRole("combobox", { name: "Show" }).click();
    await page.getByRole("option", { name: "Refused attempts" }).click();
    await expect(page.getByText("No entries found")).toBeVisible();
    await page.getByRole("button", { name: "Show everything" }).click();
    await expect(page.getByText(/^1–25 of \d+$/)).toBeVisible();
  },
);

test(
  "counts of an account lead to its lists, and a select to what is chosen in it",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("operator");
    const [branch] = await api.get<Listed>("/api/account?name=Harbour+Stores+Old");
    await signIn(page, "operator");
    await page.goto(`/account/${branch?._id}`);
    const counts = page.getByRole("list", { name: "What belongs to this account" });
    await expect(counts.getByRole("link", { name: /^\d+ locations?$/ })).toBeVisible();
    await page.getByRole("link", { name: "Open role" }).click();
    await expect(page).toHaveURL(/\/role\/[^/]+$/);
    await page
      .getByRole("list", { name: "Who has this role" })
      .getByRole("link", { name: /^\d+ accounts?$/ })
      .click();
    await expect(page).toHaveURL(/\/account\?roleID=.*viewType=list/);
    await expect(page.getByRole("cell", { name: /^Harbour Stores Old/ })).toBeVisible();
  },
);

test(
  "the search is in the header: by mouse, by keyboard and on the phone",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    await page.goto("/location");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const search = page.getByRole("dialog", { name: "Search" });
    await search.getByRole("option", { name: "Compare counts" }).click();
    await expect(page).toHaveURL("/location/counts");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("rol");
    await expect(search.getByRole("combobox")).toHaveValue("rol");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL("/role");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await search.getByRole("combobox").fill("00:1E:C0:10:00:00");
    await search.getByRole("option", { name: /00:1E:C0:10:00:00/ }).click();
    await expect(page).toHaveURL(/\/sensor\/.*\/general$/);
  },
);
