// How far a firmware has come, below the firmware's own address.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const rollout = lazyPage("RolloutPage", () => import("./RolloutPage.tsx"));

export const rolloutRoutes = (firmware: AnyRoute): AnyRoute => pageAt(firmware, "/$id/rollout", rollout);
