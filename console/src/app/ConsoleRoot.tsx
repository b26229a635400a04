// Providers around every page, also used by tests.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ComponentProps, useMemo } from "react";
import { queryClient } from "../api/query-client.ts";
import { createNavigationBlocker, createObjectLinks } from "../address/navigation.tsx";
import type { createConsoleRouter } from "./routes.tsx";
import { SessionProvider } from "../api/session/session.tsx";
import { AppTheme } from "../ui/theme/AppTheme.tsx";
import { BatchJobsProvider } from "../ui/batch/BatchJobs.tsx";
import { NavigationBlockerContext } from "../ui/form/DirtyGuard.ts";
import { ObjectLinksProvider } from "../ui/ObjectLink.tsx";
import { ToastProvider } from "../ui/feedback/Toasts.tsx";

type Look = Omit<ComponentProps<typeof AppTheme>, "children">;

export function ConsoleRoot({ router, ...look }: Look & { router: ReturnType<typeof createConsoleRouter> }) {
  const barrier = useMemo(() => createNavigationBlocker(router), [router]);
  return (
    <AppTheme {...look}>
      <QueryClientProvider client={queryClient}>
        <ObjectLinksProvider linkTo={createObjectLinks(router)}>
          <ToastProvider>
            <SessionProvider>
              <BatchJobsProvider>
                <NavigationBlockerContext value={barrier}>
                  <RouterProvider router={router} />
                </NavigationBlockerContext>
              </BatchJobsProvider>
            </SessionProvider>
          </ToastProvider>
        </ObjectLinksProvider>
      </QueryClientProvider>
    </AppTheme>
  );
}
