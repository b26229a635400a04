// Routes of events, which are a page of the location area.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listRoute } from "../address/page-routes.ts";

const list = lazyPage("EventsPage", () => import("./EventsPage.tsx"));
const dialogs = {
  "/new": lazyPage("NewEventDialog", () => import("./EventsPage.tsx")),
  "/$id": lazyPage("EditEventDialog", () => import("./EventsPage.tsx")),
  "/delete/$id": lazyPage("DeleteEventDialog", () => import("./EventsPage.tsx")),
};

export const eventRoutes = (signedIn: AnyRoute): AnyRoute =>
  listRoute(signedIn, "/location/events", list, { title: "Events", tab: "location" }, dialogs);
