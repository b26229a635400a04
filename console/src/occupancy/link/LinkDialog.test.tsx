// Tests creating, copying and revoking display links with stubbed responses.
import { x25519 } from "@noble/curves/ed25519.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { config } from "../../api/config.ts";
import type { StubbedResponses } from "../../testing/console.tsx";
import { waitForAppearance, visibleDuration } from "../../testing/shown.ts";
import { testTimerOptions, advanceTime } from "../../testing/time.ts";
import { enabledApplications, numberedId, openAppPage, shopWith } from "../occupancy.testing.ts";
import { buildDisplayUrl } from "./LinkDialog.tsx";

const { displayPublicKey } = config;
const copied: string[] = [];
beforeEach(() => {
  copied.length = 0;
  config.displayPublicKey = btoa(String.fromCodePoint(...x25519.keygen().publicKey));
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void copied.push(text));
});
afterEach(() => void (config.displayPublicKey = displayPublicKey));

const dialog = page.getByRole("dialog", { name: "Application link" });
const email = () => dialog.getByRole("textbox", { name: "Email" });
const password = () => dialog.getByRole("textbox", { name: "Password" });
const generate = () => dialog.getByRole("button", { name: "Generate link" });
const checkCall = `POST /api/measurement/${numberedId(6)}/display-links`;
const works: StubbedResponses = { [checkCall]: { status: 200, body: {} } };
const open = (more: StubbedResponses = {}) =>
  openAppPage("/occupancy/link", shopWith({ applications: enabledApplications }), { more: { ...works, ...more } });

test("OC-03 e-mail and password are asked for, by blur and by sending", async () => {
  open();
  await email().fill("no-address");
  await userEvent.tab();
  await expect.element(dialog.getByText("Invalid email")).toBeVisible();
  await email().fill("");
  await generate().click();
  await expect.element(dialog.getByText("The Email is required")).toBeVisible();
  await expect.element(dialog.getByText("The password is required")).toBeVisible();
  await expect.element(dialog.getByText(/Use a login that can only view this location/)).toBeVisible();
  expect(copied).toEqual([]);
});

test(
  "OC-03 the link holds the sealed login alone, is copied, and that is said for two and a half seconds",
  { tags: "prove" },
  async () => {
    open();
    await email().fill("view@example.com");
    await password().fill("only-to-look");
    vi.useFakeTimers(testTimerOptions);
    try {
      const shown = visibleDuration("Link copied to clipboard");
      (generate().element() as HTMLElement).click();
      await expect.poll(() => document.body.textContent).toContain("Link copied to clipboard");
      await advanceTime(3000);
      const ms = await shown;
      expect(ms).toBeGreaterThanOrEqual(2400);
      expect(ms).toBeLessThanOrEqual(2700);
    } finally {
      vi.useRealTimers();
    }
    expect(copied).toHaveLength(1);
    expect(copied[0]).toMatch(new RegExp(`^${location.origin}/display/${numberedId(6)}\\?k=[\\w-]{100,}$`));
    await expect.element(dialog.getByRole("textbox", { name: "Link" })).toHaveValue(copied[0] ?? "");
    await password().fill("another");
    expect(dialog.getByRole("textbox", { name: "Link" }).elements()).toEqual([]);
  },
);

test("OC-03 a login that does not work, or may not view the location, makes no link", async () => {
  let refusal = { field: "password", reason: "Email or password is wrong" };
  open({ [checkCall]: () => ({ status: 401, body: { code: 106, error: "Unauthorized access.", details: refusal } }) });
  await email().fill("view@example.com");
  await password().fill("only-to-look");
  await generate().click();
  await expect.element(dialog.getByText(/Email or password is wrong/)).toBeVisible();
  refusal = { field: "email", reason: "This login can't view the location." };
  await generate().click();
  await expect.element(dialog.getByText(/This login can't view the location/)).toBeVisible();
  expect(dialog.getByRole("textbox", { name: "Link" }).elements()).toEqual([]);
  expect(copied).toEqual([]);
});

test("OC-03 links lead to the application that is configured, else to this product's own page", () => {
  const links = { ...config.links, occupancy: "https://light.example.com/app/" };
  expect(buildDisplayUrl("a-1", "xyz", { ...config, links })).toBe("https://light.example.com/app/a-1?k=xyz");
  expect(buildDisplayUrl("a-1", "xyz", { ...config, publicUrl: "https://psp.example.com" })).toBe(
    "https://psp.example.com/display/a-1?k=xyz",
  );
});

test("OC-03 all links are revoked after a question", async () => {
  const revoke = vi.fn(() => ({ status: 200, body: { revoked: 3 } }));
  open({ [`DELETE /api/measurement/${numberedId(6)}/display-tokens`]: revoke });
  await dialog.getByRole("button", { name: "Revoke all links" }).click();
  const question = page.getByRole("alertdialog", { name: "Revoke all links" });
  await expect.element(question.getByText(/All open displays of Harbour Shop close immediately/)).toBeVisible();
  await expect.element(question.getByRole("button", { name: "Cancel" })).toHaveFocus();
  const confirmed = waitForAppearance(page.getByText("3 displays revoked"));
  await question.getByRole("button", { name: "Revoke" }).click();
  await confirmed;
  expect(revoke).toHaveBeenCalledOnce();
});
