// Tests that the progress line of the demo disappears when the history is complete.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { config } from "../api/config.ts";
import { openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";

const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });
const permissions: Permissions = { ownable: { role: { canViewObject: { me: true } } } };

beforeEach(() => void (config.demo = true));
afterEach(() => void (config.demo = false));

async function open(progress: () => number) {
  const asked = vi.fn(() => ({ status: 200, body: { progress: progress() } }));
  const opened = await openConsole("/role", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/role": listResponse([]),
    "GET /api/account": listResponse([me]),
    "GET /api/demo": asked,
  });
  return { ...opened, asked };
}

test(
  "says how far the demo's past is, looks again after twenty seconds, and goes when it is made",
  { tags: "prove" },
  async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let progress = 0.456;
    const { screen, asked } = await open(() => progress);
    const line = screen.getByRole("status").filter({ hasText: "Creating 14 months of demo counts" });
    await expect.element(line).toHaveTextContent("Creating 14 months of demo counts: 45 %");
    expect(asked).toHaveBeenCalledTimes(1);
    progress = 1;
    await vi.advanceTimersByTimeAsync(20_000);
    await expect.element(line).not.toBeInTheDocument();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toHaveBeenCalledTimes(2);
  },
);

test("elsewhere nothing is asked", async () => {
  config.demo = false;
  const { screen, asked } = await open(() => 0.5);
  await expect.element(screen.getByText("No roles existing")).toBeVisible();
  expect(asked).not.toHaveBeenCalled();
});
