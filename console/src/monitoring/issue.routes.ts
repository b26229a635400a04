// Route of the open issues, which the header's icon leads to.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listRoute } from "../address/page-routes.ts";

const list = lazyPage("IssuesPage", () => import("./work/IssuesPage.tsx"));

export const issueRoutes = (signedIn: AnyRoute): AnyRoute =>
  listRoute(signedIn, "/issues", list, { title: "Issues" }, {});
