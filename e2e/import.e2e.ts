// Tests the import of SAP accounts: file, results, downloadable log and invitations.

import { readFile } from "node:fs/promises";
import { type Page } from "@playwright/test";
import { mailsTo } from "./mails.ts";
import { pick } from "./pick.ts";
import { type Api, expect, forgetSession, newName, test } from "./world.ts";

type Account = {
  _id: string;
  name: string;
  role: { name: string } | null;
  country: string | null;
  readonlyAddress: boolean;
};

const newEmail = () => `${Math.random().toString(36).slice(2, 10)}@e2e.example.com`;

async function withName(api: Api, name: string): Promise<Account[]> {
  return api.get<Account[]>(`/api/account?name=${encodeURIComponent(name)}`);
}

async function countsOf(page: Page): Promise<Record<string, string>> {
  const dialog = page.getByRole("dialog", { name: "Import accounts" });
  const [terms, numbers] = await Promise.all([
    dialog.getByRole("term").allTextContents(),
    dialog.getByRole("definition").allTextContents(),
  ]);
  return Object.fromEntries(terms.map((term, n) => [term, numbers[n] ?? ""]));
}

/** Records the percentages of the progress bar. Call the returned function to read them. */
async function watchProgress(page: Page): Promise<() => Promise<string[]>> {
  const seen = await page.evaluateHandle<string[]>(`(() => {
    const list = [];
    new MutationObserver(() => {
      const now = document.querySelector('[role="progressbar"]')?.getAttribute("aria-valuenow");
      if (now) list.push(now);
    }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-valuenow"] });
    return list;
  })()`);
  return () => seen.jsonValue();
}

async function chooseRole(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Import accounts" });
  const roles = dialog.getByRole("combobox", { name: "Role" });
  await expect(roles).not.toHaveAttribute("aria-busy", "true");
  if (await roles.isDisabled()) return;
  await pick(roles, "Branch", "Branch manager");
}

test(
  "AC-07 AC-09 an imported file becomes invited accounts, with counts and a downloadable log",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }, info) => {
    const api = await apiAs("customer");
    await signIn(page, "customer");
    await page.goto("/account?viewType=list");
    await page.getByRole("button", { name: "Add account" }).click();
    await expect(page.getByRole("menuitem", { name: "Create account manually" })).toBeVisible();
    await page.getByRole("menuitem", { name: "Import accounts from csv" }).click();
    await expect(page).toHaveURL("/account/import?viewType=list");
    const dialog = page.getByRole("dialog", { name: "Import accounts" });
    await dialog.getByRole("button", { name: "Import" }).click();
    await expect(dialog.getByText("SAP export csv file is required")).toBeVisible();

    const [name, email] = [newName("Läden"), newEmail()];
    const rows = [
      "Kunde;E-Mail;Straße;Land",
      `${name} & Söhne;${email};Am Kai;Germany`,
      `${name} ohne;;Am Kai;Germany`,
      `${name} zwei;${email.toUpperCase()};;`,
      `<b>${name}</b>;${newEmail()};;`,
      `${name} kaputt;someone;;`,
      `=${name};${newEmail()};;`,
    ];
    const buffer = Buffer.from(rows.join("\r\n"), "latin1");
    await dialog.getByLabel("SAP export csv file").setInputFiles({ name: "sap.csv", mimeType: "text/csv", buffer });
    await chooseRole(page);
    await dialog.getByRole("button", { name: "Import" }).click();
    await expect(dialog.getByText("Imported 2 accounts")).toBeVisible();
    expect(await countsOf(page)).toEqual({ Success: "2", Irrelevant: "2", Error: "2", Total: "6" });
    const logs = [
      "row 5: Name: Invalid input. Remove special characters like '<>', '[]', '{}'.",
      "row 6: E-Mail: Invalid email",
    ];
    await expect(dialog.getByRole("list", { name: "Logs" }).getByRole("listitem")).toHaveText(logs);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download log" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("sap-log.txt");
    const file = info.outputPath("log.txt");
    await download.saveAs(file);
    expect(await readFile(file, "utf8")).toBe(`${logs.join("\r\n")}\r\n`);

    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(page).toHaveURL("/account?viewType=list");
    const made = await withName(api, name);
    expect(made.map((one) => one.name).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([`=${name}`, `${name} & Söhne`]);
    expect(made.find((one) => one.name.endsWith("Söhne"))).toMatchObject({ country: "Germany", readonlyAddress: true });
    await expect.poll(async () => (await mailsTo(email)).length).toBe(1);
    await page.getByRole("textbox", { name: "Search by name" }).fill(name);
    await expect(page.getByRole("row")).toHaveCount(3);
    for (const { _id } of made) await api.remove(`/api/account/${_id}`);
  },
);

test(
  "AC-09 the same file again is irrelevant, and a larger one shows how far it is",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const name = newName("Bulk");
    const size = 60;
    const rows = Array.from(
      { length: size },
      (_, n) => `${name} ${n},${name.replace(" ", "-").toLowerCase()}-${n}@e2e.example.com`,
    );
    const buffer = Buffer.from(`Name,Email\n${rows.join("\n")}\n`);
    await signIn(page, "customer");
    await page.goto("/account/import");
    const dialog = page.getByRole("dialog", { name: "Import accounts" });
    for (const counts of [
      { Success: "60", Irrelevant: "0", Error: "0", Total: "60" },
      { Success: "0", Irrelevant: "60", Error: "0", Total: "60" },
    ]) {
      await dialog.getByLabel("SAP export csv file").setInputFiles({ name: "bulk.csv", mimeType: "text/csv", buffer });
      await chooseRole(page);
      const progress = await watchProgress(page);
      await dialog.getByRole("button", { name: "Import" }).click();
      await expect(dialog.getByText("No errors.")).toBeVisible();
      expect(await countsOf(page)).toEqual(counts);
      expect(await progress()).toContain("100");
      await dialog.getByRole("button", { name: "Import another file" }).click();
    }
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect((await withName(api, `${name} 7`)).length).toBeGreaterThan(0);
    await page.goto("about:blank");
    for (const { _id } of await withName(api, name)) await api.remove(`/api/account/${_id}`);
  },
);

test(
  "AC-09 a file without the columns is refused in words; who may not make accounts is led back",
  { tag: "@prove" },
  async ({ page, signIn, provoke }) => {
    provoke(/status of 400 .*\/api\/import\/sap/);
    await signIn(page, "customer");
    await page.goto("/account/import");
    const dialog = page.getByRole("dialog", { name: "Import accounts" });
    const file = dialog.getByLabel("SAP export csv file");
    await file.setInputFiles({ name: "sap.xlsx", mimeType: "text/csv", buffer: Buffer.from("Name;E-Mail\n") });
    await expect(dialog.getByText("Only .csv files can be imported")).toBeVisible();
    await file.setInputFiles({ name: "sap.csv", mimeType: "text/csv", buffer: Buffer.from("Name;City\nShop;Ulm\n") });
    await chooseRole(page);
    await dialog.getByRole("button", { name: "Import" }).click();
    await expect(dialog.getByRole("alert")).toContainText("The file has no column E-Mail / E-Mail Address");
    await forgetSession(page);
    await signIn(page, "customerChild");
    await page.goto("/account/import");
    await expect(page.getByRole("alert")).toContainText("Failed to create new account.");
    await expect(page).toHaveURL("/account");
  },
);
