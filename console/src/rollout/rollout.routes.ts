// Route of rollouts, below the firmware.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const rollout = lazyPage("RolloutPage", () => import("./RolloutPage.tsx"));

export const rolloutRoutes = (firmware: AnyRoute): AnyRoute => pageRoute(firmware, "/$id/rollout", rollout);
