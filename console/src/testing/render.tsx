// Renders a part of the console in its theme, as pages do.
import type { ReactElement, ReactNode } from "react";
import { render } from "vitest-browser-react";
import { AppTheme } from "../theme/AppTheme.tsx";
import { ToastProvider } from "../ui/feedback/Toasts.tsx";
import { restPointer } from "./pointer.ts";

function Wrapper({ children }: { children: ReactNode }) {
  return (
    <AppTheme>
      <ToastProvider>{children}</ToastProvider>
    </AppTheme>
  );
}

/** Like `render`, inside theme and toasts. */
export async function renderInApp(element: ReactElement) {
  await restPointer();
  return render(element, { wrapper: Wrapper });
}
