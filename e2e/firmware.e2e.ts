// Tests the firmware pages: list, upload with progress, permissions, downloads and batches (FW-01, FW-02, FW-04).

import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectMessage } from "./messages.ts";
import { openFilters } from "./filters.ts";
import { pick } from "./pick.ts";
import { type Api, expect, test } from "./world.ts";

type Firmware = {
  _id: string;
  name: string;
  type: string;
  md5: string;
  owner: { _id: string; name: string };
  file: { size: number; sha256: string };
  objPerm: { childrenCanViewObject: boolean };
};

const sum = (kind: string, data: Buffer) => createHash(kind).update(data).digest("hex");
/** Always three digits, so that no number is the end of another one. */
const threeDigits = () => 100 + Math.floor(Math.random() * 900);
/** Major and minor version that other tests are unlikely to use. */
const newLine = () => `${threeDigits()}.${threeDigits()}`;
const newVersion = () => `${newLine()}.0`;

const named = (api: Api, name: string) => api.get<Firmware[]>(`/api/artifact?name=${encodeURIComponent(name)}`);

async function accountNamed(api: Api, name: string): Promise<string> {
  const found = await api.get<{ _id: string; name: string }[]>(`/api/account?name=${encodeURIComponent(name)}`);
  const account = found.find((each) => each.name === name);
  if (account === undefined) throw new Error(`No account ${name}`);
  return account._id;
}

async function upload(page: Page, fields: Record<string, string>, file: Buffer): Promise<Firmware> {
  const reply = await page.request.post("/api/artifact", {
    headers: { origin: new URL(page.url()).origin },
    multipart: { ...fields, file: { name: "image.bin", mimeType: "application/octet-stream", buffer: file } },
  });
  expect(reply.status(), await reply.text()).toBe(200);
  return (await reply.json()) as Firmware;
}

const choose = (page: Page, label: string, name: string) =>
  pick(page.getByRole("combobox", { name: label }).last(), name);

test(
  "FW-02 a firmware is uploaded, shows its sums, is downloaded, renamed, opened to children and deleted",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    const api = await apiAs("customer");
    const image = randomBytes(1_500_000);
    const version = newVersion();
    await signIn(page, "customer");
    await page.goto("/firmware?name=nothing-like-this");
    await page.getByRole("button", { name: "Create firmware" }).first().click();
    await expect(page).toHaveURL("/firmware/new?name=nothing-like-this");
    const dialog = page.getByRole("dialog", { name: "New Firmware" });
    await dialog.getByRole("button", { name: "Create" }).click();
    for (const text of ["The file is required.", "The semantic version string is required.", "The type is required."])
      await expect(dialog.getByText(text)).toBeVisible();
    await expect(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue("Harbour Stores");
    await dialog.getByLabel("File").setInputFiles({ name: "image.bin", mimeType: "text/html", buffer: image });
    await expect(dialog.getByText("image.bin")).toBeVisible();
    await dialog.getByLabel("Semantic version").fill("v1.0");
    await expect(dialog.getByText("Enter a semantic version such as 1.19.0 or 1.20.0-rc.1.")).toBeVisible();
    await dialog.getByLabel("Semantic version").fill(version);
    await dialog.getByRole("combobox", { name: "Sensor Type" }).click();
    await expect(page.getByRole("option")).toHaveText(["APS", "PS.C1", "ZOD"]);
    await page.getByRole("option", { name: "PS.C1" }).click();
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(page).toHaveURL("/firmware?name=nothing-like-this");

    await page.goto(`/firmware?name=${version}`);
    const row = page.getByRole("row", { name: new RegExp(version.replaceAll(".", "\\.")) });
    await expect(row.getByRole("cell", { name: "PS.C1", exact: true })).toBeVisible();
    await expect(row.getByText(sum("md5", image))).toBeVisible();
    const [made] = await named(api, version);
    expect(made).toMatchObject({ md5: sum("md5", image), file: { size: image.length, sha256: sum("sha256", image) } });
    await row.hover();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: `Download PS.C1 ${version}` }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`PS.C1-${version}.bin`);
    expect(sum("sha256", await readFile(await file.path()))).toBe(sum("sha256", image));

    await row.getByText(version).click();
    await expect(page).toHaveURL(`/firmware/${made?._id}?name=${version}`);
    const edit = page.getByRole("dialog", { name: `PS.C1 ${version}` });
    await expect(edit.getByLabel("Sensor Type")).toHaveAttribute("readonly", "");
    await expect(edit.getByLabel("MD5-Checksum", { exact: true })).toHaveValue(sum("md5", image));
    await expect(edit.getByLabel("SHA-256", { exact: true })).toHaveValue(sum("sha256", image));
    await expect(edit.getByRole("button", { name: "Choose file" })).toHaveCount(0);
    await edit.getByRole("switch", { name: "Visible for child accounts" }).click();
    await edit.getByLabel("Semantic version").fill(`${version}-rc.1`);
    await edit.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL(`/firmware?name=${version}`);
    await expect(page.getByText(`${version}-rc.1`, { exact: true })).toBeVisible();
    expect(await named(api, version)).toMatchObject([
      { name: `${version}-rc.1`, type: "PS.C1", objPerm: { childrenCanViewObject: true } },
    ]);

    // A duplicate version is refused with the server's message, and the input is kept.
    provoke(/status of 409 .*\/api\/artifact$/);
    await page.goto("/firmware/new");
    await dialog.getByLabel("File").setInputFiles({ name: "other.bin", mimeType: "", buffer: Buffer.from("x") });
    await dialog.getByLabel("Semantic version").fill(`${version}-rc.1`);
    await dialog.getByRole("combobox", { name: "Sensor Type" }).click();
    await page.getByRole("option", { name: "PS.C1" }).click();
    await expect(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue("Harbour Stores");
    await dialog.getByRole("button", { name: "Create" }).click();
    const toast = page.getByRole("alert").filter({ hasText: "Failed to create new firmware." });
    await expect(toast).toContainText("Name is already used.");
    await expect(dialog.getByLabel("Semantic version")).toHaveValue(`${version}-rc.1`);
    await toast.getByRole("button", { name: "Close" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();

    await page.goto(`/firmware/delete/${made?._id}?name=${version}`);
    const ask = page.getByRole("alertdialog", { name: "Delete Firmware" });
    await expect(ask).toContainText(`PS.C1 ${version}-rc.1`);
    await ask.getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL(`/firmware?name=${version}`);
    await expect(page.getByText("No firmware found", { exact: true })).toBeVisible();
    expect(await api.status(`/api/artifact/${made?._id}`)).toBe(404);
  },
);

test(
  "FW-02 a long upload shows how far it got and can be stopped; nothing of it stays",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const version = newVersion();
    await signIn(page, "customer");
    await page.goto("/firmware/new");
    const dialog = page.getByRole("dialog", { name: "New Firmware" });
    await dialog.getByLabel("File").setInputFiles({ name: "big.bin", mimeType: "", buffer: randomBytes(4_000_000) });
    await dialog.getByLabel("Semantic version").fill(version);
    await dialog.getByRole("combobox", { name: "Sensor Type" }).click();
    await page.getByRole("option", { name: "ZOD" }).click();
    await pick(dialog.getByRole("combobox", { name: "Owner" }), "Harbour Stores Old");
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      // Slow, so that the upload doesn't finish before it is canceled.
      uploadThroughput: 50_000,
    });
    await dialog.getByRole("button", { name: "Create" }).click();
    const bar = dialog.getByRole("progressbar", { name: "Upload" });
    await expect(bar).toBeVisible();
    await expect.poll(async () => Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(2);
    await expect(dialog.getByText(/^\d+ % · [\d.]+ [kM]?B of 3\.8 MB$/)).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel upload" }).click();
    await expectMessage(page, "Upload canceled");
    await expect(bar).toHaveCount(0);
    await expect(dialog.getByLabel("Semantic version")).toHaveValue(version);
    expect(await named(api, version)).toEqual([]);
  },
);

test(
  "FW-01 the list filters, sorts by precedence, keeps it in the address, and says what it does not find",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const self = await api.get<{ _id: string; name: string }>("/api/auth/user");
    await signIn(page, "customer");
    await page.goto("/firmware");
    const line = newLine();
    const versions = [`${line}.0-alpha`, `${line}.0-alpha.2`, `${line}.0-alpha.10`, `${line}.0`, `${line}.10`];
    for (const name of versions.toReversed())
      await upload(page, { name, owner: self._id, type: "ZOD" }, Buffer.from(name));
    await upload(page, { name: `${line}.2`, owner: self._id, type: "APS" }, Buffer.from("aps"));

    await page.getByRole("textbox", { name: "Search by Version" }).fill(`${line}.`);
    await expect(page).toHaveURL(`/firmware?name=${line}.`);
    const shown = page
      .getByRole("table", { name: "Firmware" })
      .getByText(new RegExp(`^${line.replace(".", "\\.")}\\.`));
    await expect(shown).toHaveText([`${line}.2`, ...versions]);
    await openFilters(page);
    await page.getByRole("combobox", { name: "Sensor Type" }).click();
    await page.getByRole("option", { name: "ZOD" }).click();
    await expect(page).toHaveURL(`/firmware?name=${line}.&sensorType=ZOD`);
    await expect(shown).toHaveText(versions);
    await page.getByRole("columnheader", { name: "Version" }).getByRole("button").click();
    await expect(page).toHaveURL(/sortBy=/);
    await page.reload();
    await expect(page.getByRole("combobox", { name: "Sensor Type" })).toHaveText("ZOD");
    await expect(shown).toHaveCount(5);
    await page.getByRole("textbox", { name: "Search by Version" }).fill("nothing-like-this");
    await expect(page.getByText("No firmware found", { exact: true })).toBeVisible();
    await expect(page.getByText("No firmware found for the given filter criteria.")).toBeVisible();
    await page.getByRole("button", { name: "Show all firmware" }).click();
    await expect(page.getByRole("row").nth(1)).toBeVisible();
  },
);

test(
  "FW-01 batches hand over and delete firmware where allowed and report refusals with reasons",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 409 .*\/api\/artifact\//);
    const api = await apiAs("customer");
    const self = await api.get<{ _id: string; name: string }>("/api/auth/user");
    const branch = await accountNamed(api, "Harbour Stores Old Town");
    await signIn(page, "customer");
    await page.goto("/firmware");
    const line = newLine();
    const made: Firmware[] = [];
    for (const patch of [1, 2, 3])
      made.push(await upload(page, { name: `${line}.${patch}`, owner: self._id, type: "APS" }, Buffer.from("x")));
    await upload(page, { name: `${line}.3`, owner: branch, type: "APS" }, Buffer.from("y"));

    await page.goto(`/firmware?name=${line}.&ownerID=${self._id}`);
    await page.getByRole("checkbox", { name: `Select APS ${line}.1` }).check();
    await expect(page.getByText("1 selected")).toBeVisible();
    await page.getByRole("button", { name: "Select all 3" }).click();
    await page.getByRole("button", { name: "Set owner" }).click();
    const dialog = page.getByRole("dialog", { name: "Set the owner of 3 firmware packages" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("No changes specified")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Set owner" }).click();
    await expect(dialog).toBeVisible();
    await choose(page, "Owner", "Harbour Stores Old Town");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(
      dialog.getByText("1 firmware(s) failed to update! 2 firmware(s) was/were updated successfully."),
    ).toBeVisible();
    await expect(dialog.getByText(/Name is already used\./).first()).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    expect((await named(api, `${line}.`)).map(({ owner }) => owner._id).toSorted()).toEqual(
      [branch, branch, branch, self._id].toSorted(),
    );

    await page.goto(`/firmware?name=${line}.`);
    await page.getByRole("checkbox", { name: `Select APS ${line}.1` }).check();
    await page.getByRole("button", { name: "Select all 4" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const ask = page.getByRole("dialog", { name: "Delete 4 firmware packages" });
    await ask.getByRole("button", { name: "Delete" }).click();
    await expect(ask.getByText("Successfully deleted all 4 firmware(s)!")).toBeVisible();
    await ask.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("No firmware found", { exact: true })).toBeVisible();
    expect(await named(api, `${line}.`)).toEqual([]);
  },
);

test(
  "FW-04 a child account can view and download shared firmware but not change it",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("readonly");
    const [opened] = await named(api, "1.18.0");
    await signIn(page, "readonly");
    await page.goto("/firmware?name=1.18.0");
    const row = page.getByRole("row", { name: /1\.18\.0/ });
    await row.hover();
    await expect(page.getByRole("button", { name: "Download APS 1.18.0" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Delete APS 1.18.0" })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Create firmware" })).toHaveCount(0);
    await row.getByText("1.18.0").click();
    const edit = page.getByRole("dialog", { name: "APS 1.18.0" });
    await expect(edit.getByLabel("Semantic version")).toHaveAttribute("readonly", "");
    await expect(edit.getByRole("button", { name: "Save" })).toHaveCount(0);
    await edit.getByRole("button", { name: "Cancel" }).click();
    await page.goto(`/firmware/delete/${opened?._id}`);
    const refused = page.getByRole("alert").filter({ hasText: "Failed to delete firmware." });
    await expect(refused).toContainText("You don't have permission to delete this artifact");
    await expect(page).toHaveURL("/firmware");
    await refused.getByRole("button", { name: "Close" }).click();
    await page.goto("/firmware/new");
    await expect(page.getByRole("alert")).toContainText(
      "You have no permission to create a firmware with any existing account as owner.",
    );
    await expect(page).toHaveURL("/firmware");
  },
);
