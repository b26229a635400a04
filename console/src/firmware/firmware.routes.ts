// The addresses of firmware.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { dialogsOver, pageAt } from "../address/page-routes.ts";

const list = lazyPage("FirmwarePage", () => import("./FirmwarePage.tsx"));
const dialogs = {
  "/new": lazyPage("NewFirmwareDialog", () => import("./NewFirmwareDialog.tsx")),
  "/$id": lazyPage("EditFirmwareDialog", () => import("./EditFirmwareDialog.tsx")),
  "/delete/$id": lazyPage("DeleteFirmwareDialog", () => import("./EditFirmwareDialog.tsx")),
};

export const firmwareRoutes = (signedIn: AnyRoute): AnyRoute =>
  pageAt(signedIn, "/firmware", list, { title: "Firmware", tab: "firmware" }, (page) => dialogsOver(page, dialogs));
