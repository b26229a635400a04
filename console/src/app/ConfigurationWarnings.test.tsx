// Tests that configuration warnings appear on every page, but only for the root account.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";

const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "PS Support" });
const permissions: Permissions = { ownable: { role: { canViewObject: { me: true } } } };

const open = (configurationWarnings?: string[]) =>
  openConsole("/role", {
    "GET /api/auth/user": {
      status: 200,
      body: {
        ...me,
        permissions,
        email: "me@example.com",
        ...(configurationWarnings ? { configurationWarnings } : {}),
      },
    },
    "GET /api/role": listResponse([]),
    "GET /api/account": listResponse([me]),
  });

test("T-17 the operator reads below the header what to change in the configuration", async () => {
  const { screen } = await open(["DEVICE_LINK_ROOT is on the console's domain."]);
  const notice = screen.getByRole("status").filter({ hasText: "DEVICE_LINK_ROOT" });
  await expect.element(notice).toHaveTextContent("DEVICE_LINK_ROOT is on the console's domain.");
});

test("T-17 without warnings nothing stands below the header", async () => {
  const { screen } = await open();
  await expect.element(screen.getByText("No roles existing")).toBeVisible();
  expect(document.body.textContent).not.toContain("DEVICE_LINK_ROOT");
});
