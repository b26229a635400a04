// Opens the showroom in a browser while developing: `vite console` and /showroom/. Never part of a build.
import { createRoot } from "react-dom/client";
import { AppTheme } from "../src/theme/AppTheme.tsx";
import { ToastProvider } from "../src/ui/feedback/Toasts.tsx";
import { Showroom } from "./Showroom.tsx";

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <AppTheme>
      <ToastProvider>
        <Showroom />
      </ToastProvider>
    </AppTheme>,
  );
}
