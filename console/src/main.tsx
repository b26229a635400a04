// Starts the console: look, data cache, session, messages, addresses.
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "@tanstack/react-router";
import { queryClient } from "./api/query-client.ts";
import { presentAddress } from "./claim/scanned-link.ts";
import { createConsoleRouter } from "./routes.tsx";
import { SessionProvider } from "./session/session.tsx";
import { AppTheme } from "./theme/AppTheme.tsx";
import { type Density } from "./theme/density.tsx";
import { BatchJobsProvider } from "./ui/BatchJobs.tsx";
import { ToastProvider } from "./ui/Toasts.tsx";

const densityKey = "psp-density";
const kept = localStorage.getItem(densityKey);
const density: Density = kept === "compact" ? "compact" : "comfortable";

// Labels outlive the addresses printed on them.
const address = presentAddress(new URL(window.location.href));
if (address !== null) window.history.replaceState(window.history.state, "", address);

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console");
createRoot(root).render(
  <AppTheme density={density} onDensityChange={(next) => localStorage.setItem(densityKey, next)}>
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <SessionProvider>
          <BatchJobsProvider>
            <RouterProvider router={createConsoleRouter()} />
          </BatchJobsProvider>
        </SessionProvider>
      </ToastProvider>
    </QueryClientProvider>
  </AppTheme>,
);
