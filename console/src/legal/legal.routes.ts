// Routes of legal documents.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const pages = [
  ["/impressum", "Imprint", "ImprintPage"],
  ["/privacy", "Privacy", "PrivacyPage"],
  ["/licenses", "Licenses", "LicensesPage"],
  ["/end-user-license-agreement", "End user license agreement", "EulaPage"],
  ["/data-processing-agreement", "Data processing agreement", "DpaPage"],
  ["/data-processing-agreement/$dateFrom", "Data processing agreement", "DpaPage"],
] as const;

export const legalRoutes = (root: AnyRoute): AnyRoute[] =>
  pages.map(([path, title, page]) =>
    pageRoute(
      root,
      path,
      lazyPage(page, () => import("./LegalPages.tsx")),
      { title },
    ),
  );
