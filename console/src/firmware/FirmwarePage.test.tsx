// Tests the firmware pages with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { config } from "../api/config.ts";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainFirmware } from "../testing/objects.ts";
import { openSelect } from "../testing/select.ts";

const ids = {
  root: "00000000-0000-4000-8000-000000000001",
  self: "00000000-0000-4000-8000-000000000002",
  child: "00000000-0000-4000-8000-000000000003",
  stranger: "00000000-0000-4000-8000-000000000004",
  ownRole: "00000000-0000-4000-8000-00000000000a",
  mine: "00000000-0000-4000-8000-00000000000b",
  bare: "00000000-0000-4000-8000-00000000000c",
};
const below = { me: true, myChildren: true };
const all: Permissions = {
  other: { canUseArtifact: below },
  ownable: {
    artifact: {
      canViewObject: below,
      canEditObject: below,
      canDeleteObject: below,
      canCreateObjectFor: below,
      canChangeOwner: { from: below, to: below },
    },
  },
  owner: { canViewOwner: below },
};
const onlyView: Permissions = {
  ownable: { artifact: { canViewObject: below } },
  owner: { canViewOwner: { me: true } },
};

const account = (_id: string, name: string, parentAccounts: string[]) =>
  plainAccount({ _id, name, parentAccounts, role: { _id: ids.ownRole, name: "Own", owner: null } });
const self = account(ids.self, "Self", [ids.root]);
const child = account(ids.child, "Child", [ids.root, ids.self]);

const md5 = "0123456789abcdef0123456789abcdef";
const sha256 = "f".repeat(64);
const firmware = (_id: string, name: string, hasFile: boolean, owner = { _id: ids.self, name: "Self" }) =>
  plainFirmware({
    _id,
    name,
    owner: { ...owner, isDeleted: false, status: { numActiveSessions: 0, lastSeenAt: null } },
    ...(hasFile ? { md5, file: { size: 1_500_000, sha256, signature: "c2ln" } } : {}),
    version: 3,
  });
const both = [firmware(ids.mine, "1.19.0", true), firmware(ids.bare, "1.20.0", false)];

function answers(permissions: Permissions | null, listed = both, more: StubbedResponses = {}): StubbedResponses {
  return {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "self@example.com" } },
    "GET /api/account": listResponse(permissions === null ? [] : [self, child]),
    "GET /api/artifact": listResponse(listed),
    ...Object.fromEntries(listed.map((each) => [`GET /api/artifact/${each._id}`, { status: 200, body: each }])),
    ...more,
  };
}

test("FW-01 nothing there: the empty state, with 'Create firmware' only where the role allows it", async () => {
  const { screen } = await openConsole("/firmware", answers(all, []));
  await expect.element(screen.getByText("No firmware existing")).toBeVisible();
  await expect.element(screen.getByText("A firmware represents a sensor application package.")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Create firmware" }).first()).toBeVisible();
  await screen.unmount();
  const poor = await openConsole("/firmware", answers(onlyView, []));
  await expect.element(poor.screen.getByText("No firmware existing")).toBeVisible();
  expect(poor.screen.getByRole("button", { name: "Create firmware" }).elements()).toHaveLength(0);
});

test("FW-01 the row offers the download where there is a file, and deletion where it is permitted", async () => {
  const { screen } = await openConsole("/firmware", answers(all));
  await expect.element(screen.getByText(md5)).toBeVisible();
  expect(screen.getByRole("button", { name: "Download APS 1.19.0" }).elements()).toHaveLength(1);
  expect(screen.getByRole("button", { name: "Download APS 1.20.0" }).elements()).toHaveLength(0);
  expect(screen.getByRole("button", { name: "Delete APS 1.20.0" }).elements()).toHaveLength(1);
  await screen.unmount();
  const poor = await openConsole("/firmware", answers(onlyView));
  const download = poor.screen.getByRole("button", { name: "Download APS 1.19.0" });
  await expect.element(download).toHaveAttribute("aria-disabled", "true");
  await expect.element(download).toHaveAttribute("aria-description", "You have no permission to use this firmware");
  expect(poor.screen.getByRole("button", { name: "Delete APS 1.19.0" }).elements()).toHaveLength(0);
});

test(
  "FW-02 the form reports missing fields, empty files and invalid versions immediately",
  { tags: "prove" },
  async () => {
    const { screen } = await openConsole("/firmware/new", answers(all));
    const dialog = page.getByRole("dialog", { name: "New Firmware" });
    await dialog.getByRole("button", { name: "Create" }).click();
    for (const text of ["The file is required.", "The semantic version string is required.", "The type is required."])
      await expect.element(dialog.getByText(text)).toBeVisible();
    await userEvent.upload(dialog.getByLabelText("File"), new File([], "empty.bin"));
    await expect.element(dialog.getByText("The file is empty.")).toBeVisible();
    await userEvent.upload(dialog.getByLabelText("File"), new File(["x".repeat(2048)], "image.bin"));
    await expect.element(dialog.getByText("image.bin")).toBeVisible();
    await expect.element(dialog.getByText(/image\.bin 2 kB/)).toBeVisible();
    await userEvent.fill(dialog.getByRole("textbox", { name: "Semantic version" }), "01.2.3");
    await expect.element(dialog.getByText("Enter a semantic version such as 1.19.0 or 1.20.0-rc.1.")).toBeVisible();
    await userEvent.fill(dialog.getByRole("textbox", { name: "Semantic version" }), "2026.11.20");
    await expect.element(dialog.getByText("Version numbers can be at most 999.")).toBeVisible();
    await openSelect(dialog.getByRole("combobox", { name: "Sensor Type" }));
    const types = () =>
      page
        .getByRole("option")
        .elements()
        .map((one) => one.textContent);
    await expect.poll(types).toEqual(["APS", "PS.C1", "ZOD"]);
    await screen.unmount();
  },
);

test("FW-02 Tab takes the suggestion for a typed sensor type; a list that was only opened gives none", async () => {
  await openConsole("/firmware/new", answers(all));
  const type = page.getByRole("dialog", { name: "New Firmware" }).getByRole("combobox", { name: "Sensor Type" });
  await type.click();
  await userEvent.keyboard("{ArrowDown}{Escape}");
  await openSelect(type);
  await userEvent.tab();
  await expect.element(type).toHaveValue("");
  await type.fill("ps");
  await userEvent.tab();
  await expect.element(type).toHaveValue("PS.C1");
  await expect.element(page.getByText("The type is required.")).not.toBeInTheDocument();
});

test(
  "FW-02 a file is too large by the limit that the server has, not by one of the console",
  { tags: "prove" },
  async () => {
    const before = config.firmwareMaxBytes;
    config.firmwareMaxBytes = 2 * 1024 * 1024;
    try {
      const { screen } = await openConsole("/firmware/new", answers(all));
      const dialog = page.getByRole("dialog", { name: "New Firmware" });
      await userEvent.upload(dialog.getByLabelText("File"), new File(["x".repeat(2 * 1024 * 1024 + 1)], "large.bin"));
      await expect.element(dialog.getByText("The file is larger than 2 MB.")).toBeVisible();
      await userEvent.upload(dialog.getByLabelText("File"), new File(["x".repeat(2 * 1024 * 1024)], "fits.bin"));
      await expect.element(dialog.getByText("fits.bin")).toBeVisible();
      await expect.element(dialog.getByText("The file is larger than 2 MB.")).not.toBeInTheDocument();
      await screen.unmount();
    } finally {
      config.firmwareMaxBytes = before;
    }
  },
);

test("FW-02 type, file and checksums are read-only; only changed fields are sent", async () => {
  let sent: unknown = null;
  const more: StubbedResponses = {
    [`PUT /api/artifact/${ids.mine}`]: (body) => {
      sent = body;
      return { status: 200, body: { ...both[0], version: 4 } };
    },
  };
  const { screen, address } = await openConsole(`/firmware/${ids.mine}?name=1`, answers(all, both, more));
  const dialog = page.getByRole("dialog", { name: "APS 1.19.0 Firmware" });
  await expect.element(dialog.getByRole("textbox", { name: "Sensor Type" })).toHaveAttribute("readonly");
  await expect.element(dialog.getByRole("textbox", { name: "MD5-Checksum" })).toHaveValue(md5);
  await expect.element(dialog.getByRole("textbox", { name: "SHA-256" })).toHaveValue(sha256);
  expect(dialog.getByLabelText("File", { exact: true }).elements()).toHaveLength(0);
  await dialog.getByRole("switch", { name: "Visible for child accounts" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => sent).toEqual({ objPerm: { childrenCanViewObject: true } });
  await expect.poll(address).toBe("/firmware?name=1");
  await screen.unmount();
});

test(
  "FW-02 ER-02 a refused change shows the page's and the server's message until closed",
  { tags: "prove" },
  async () => {
    const more: StubbedResponses = {
      [`PUT /api/artifact/${ids.mine}`]: {
        status: 409,
        body: { code: 109, error: "Name is already used.", requestId: "r-1" },
      },
    };
    const { screen } = await openConsole(`/firmware/${ids.mine}`, answers(all, both, more));
    const dialog = page.getByRole("dialog", { name: "APS 1.19.0 Firmware" });
    await userEvent.fill(dialog.getByRole("textbox", { name: "Semantic version" }), "1.20.0");
    await dialog.getByRole("button", { name: "Save" }).click();
    const toast = page.getByRole("alert").filter({ hasText: /Failed to update firmware/ });
    await expect.element(toast.getByText(/Name is already used\. Request r-1/)).toBeVisible();
    await toast.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => toast.elements().length).toBe(0);
    await screen.unmount();
  },
);

test("ER-02 anyone who may create firmware for no one sees why: no account, or none that allows it", async () => {
  const poor = await openConsole("/firmware/new", answers(onlyView));
  await expect
    .element(page.getByText("You have no permission to create a firmware with any existing account as owner."))
    .toBeVisible();
  await expect.poll(poor.address).toBe("/firmware");
  await poor.screen.unmount();
  const lost = await openConsole("/firmware/new", { ...answers(onlyView), "GET /api/account": listResponse([]) });
  await expect
    .element(page.getByText("There is no account existing that you can create a firmware for."))
    .toBeVisible();
  await lost.screen.unmount();
});

test("FW-04 without the right to edit, the form is read-only and the deletion is refused with its reason", async () => {
  const { screen } = await openConsole(`/firmware/${ids.mine}`, answers(onlyView));
  const dialog = page.getByRole("dialog", { name: "APS 1.19.0 Firmware" });
  await expect.element(dialog.getByRole("textbox", { name: "Semantic version" })).toHaveAttribute("readonly");
  expect(dialog.getByRole("button", { name: "Save" }).elements()).toHaveLength(0);
  await expect.element(dialog.getByRole("button", { name: "Cancel" })).toBeVisible();
  await screen.unmount();
  const asked = await openConsole(`/firmware/delete/${ids.mine}`, answers(onlyView));
  const toast = page.getByRole("alert").filter({ hasText: /Failed to delete firmware/ });
  await expect.element(toast.getByText(/You don't have permission to delete this artifact/)).toBeVisible();
  await expect.poll(asked.address).toBe("/firmware");
});

const foreign = firmware(ids.stranger, "2.0.0", true, { _id: ids.root, name: "Root" });
async function beginBatch(button: string, listed: ReturnType<typeof firmware>[], more: StubbedResponses = {}) {
  const opened = await openConsole("/firmware", answers(all, listed, more));
  for (const { name } of listed) await page.getByRole("checkbox", { name: `Select APS ${name}` }).click();
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await expect.element(bar.getByText(`${listed.length} selected`, { exact: true })).toBeVisible();
  await bar.getByRole("button", { name: button, exact: true }).click();
  return opened;
}
async function chooseChild(total: string) {
  const dialog = page.getByRole("dialog", { name: `Set the owner of ${total}` });
  await dialog.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name: /^Child/ }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  return dialog;
}
const mine = both.slice(0, 1);
const accepted = { status: 200, body: both[0] };

test(
  "FW-04 handing firmware over reports refused owners with both ids and changes the others",
  { tags: "prove" },
  async () => {
    const put = { [`PUT /api/artifact/${ids.mine}`]: accepted };
    await beginBatch("Set owner", [...mine, foreign], put);
    const dialog = await chooseChild("2 firmware packages");
    const outcome = "1 firmware(s) failed to update! 1 firmware(s) was/were updated successfully.";
    await expect.element(dialog.getByText(outcome, { exact: true })).toBeVisible();
    const why = `This artifact ${foreign._id} can't be assigned to this owner ${ids.child}`;
    await expect.element(dialog.getByText(why, { exact: true }).first()).toBeVisible();
  },
);

test("FW-04 all firmware handed over, or none: the outcome says so", { tags: "prove" }, async () => {
  const put = { [`PUT /api/artifact/${ids.mine}`]: accepted };
  const { screen } = await beginBatch("Set owner", mine, put);
  const dialog = await chooseChild("1 firmware");
  await expect.element(dialog.getByText("Successfully updated all 1 firmware(s)!", { exact: true })).toBeVisible();
  await screen.unmount();
  await beginBatch("Set owner", [foreign]);
  const refused = await chooseChild("1 firmware");
  await expect.element(refused.getByText("Saving Failed", { exact: true })).toBeVisible();
});

test("FW-04 deleting firmware: some, then none", { tags: "prove" }, async () => {
  const remove = { [`DELETE /api/artifact/${ids.mine}`]: { status: 200, body: { _id: ids.mine } } };
  const { screen } = await beginBatch("Delete", [...mine, foreign], remove);
  const dialog = page.getByRole("dialog", { name: "Delete 2 firmware packages" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  const outcome = "1 firmware(s) failed to get deleted! 1 firmware(s) was/were deleted successfully.";
  await expect.element(dialog.getByText(outcome, { exact: true })).toBeVisible();
  await screen.unmount();
  await beginBatch("Delete", [foreign]);
  const denied = page.getByRole("dialog", { name: "Delete 1 firmware" });
  await denied.getByRole("button", { name: "Delete" }).click();
  await expect.element(denied.getByText("Deletion Failed", { exact: true })).toBeVisible();
  const why = denied.getByText("You don't have permission to delete this artifact", { exact: true });
  await expect.element(why.first()).toBeVisible();
});

test("FW-02 a version from before the limit of its numbers stays when something else is changed", async () => {
  const old = firmware(ids.mine, "2026.11.20", true);
  const sent: unknown[] = [];
  const put = (body: unknown) => (sent.push(body), { status: 200, body: { ...old, version: 4 } });
  const { address } = await openConsole(
    `/firmware/${ids.mine}`,
    answers(all, [old], { [`PUT /api/artifact/${ids.mine}`]: put }),
  );
  const dialog = page.getByRole("dialog", { name: "APS 2026.11.20 Firmware" });
  await dialog.getByRole("switch", { name: "Visible for child accounts" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(address).toBe("/firmware");
  expect(sent).toEqual([{ objPerm: { childrenCanViewObject: !old.objPerm.childrenCanViewObject } }]);
});
