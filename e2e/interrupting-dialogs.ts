// Opens dialogs that interrupt the user: unsaved input, conflicts, ended session, failed chunk.

import { expect } from "@playwright/test";
import { button, type DialogVisit } from "./dialog-visit.ts";
import { type Api, newName } from "./world.ts";

export const interruptingDialogs = (api: Api, location: string): DialogVisit[] => [
  {
    shows: ["address/leave-guard.tsx DiscardDialog"],
    open: async (page) => {
      await page.goto(`/location/${location}/general`);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill(newName("Unsaved"));
      await page.getByRole("link", { name: "Imprint" }).click();
      return page.getByRole("alertdialog");
    },
  },
  {
    // All forms use this dialog, and only the object's name differs.
    shows: ["account/form/EditAccountDialog.tsx ConflictDialog", "entity/page-form.tsx ConflictDialog"],
    provokes: /status of 412/,
    open: async (page) => {
      // Without live messages, so that only the server knows of the change.
      await page.routeWebSocket("**/live*", () => undefined);
      await page.goto(`/location/${location}/general`);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill(newName("Mine"));
      await api.put(`/api/measurement/${location}`, { tags: [newName("theirs")] });
      await button(page, "Save").click();
      return page.getByRole("alertdialog");
    },
  },
  {
    shows: ["auth/SessionEndedDialog.tsx Dialog"],
    provokes: /status of 401/,
    open: async (page) => {
      await page.goto(`/location/${location}/general`);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill(newName("Mine"));
      // Only the save is refused, because a refusal of another request would open the login before the save.
      await page.route("**/api/measurement/*", (route) =>
        route.request().method() === "PUT"
          ? route.fulfill({ status: 401, json: { error: "Unauthorized access.", code: 106, requestId: "r-1" } })
          : route.continue(),
      );
      await button(page, "Save").click();
      return page.getByRole("dialog", { name: "Log in again" });
    },
  },
  {
    shows: ["address/FallbackPages.tsx Dialog"],
    provokes: /ERR_FAILED|ChunkError: Loading chunk NewRoleDialog failed/,
    open: async (page) => {
      await page.route(/\/assets\/RoleDialogs-/, (route) => route.abort());
      await page.goto("/role/new");
      return page.getByRole("dialog");
    },
  },
  {
    shows: ["ui/feedback/LazyDialog.tsx Dialog"],
    provokes: /ERR_FAILED/,
    open: async (page) => {
      await page.route(/\/assets\/ShortcutsDialog-/, (route) => route.abort());
      await page.goto("/privacy");
      await expect(button(page, "Account menu")).toBeVisible();
      await page.keyboard.press("?");
      return page.getByRole("dialog");
    },
  },
];
