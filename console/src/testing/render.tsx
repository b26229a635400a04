// Renders components with the console's providers.
import { QueryClientProvider } from "@tanstack/react-query";
import type { ComponentType, ReactElement, ReactNode } from "react";
import { render } from "vitest-browser-react";
import { queryClient } from "../api/query-client.ts";
import { SessionProvider, useSession } from "../api/session/session.tsx";
import { AppTheme } from "../ui/theme/AppTheme.tsx";
import { ToastProvider } from "../ui/feedback/Toasts.tsx";
import { resetPointer } from "./pointer.ts";

function Wrapper({ children }: { children: ReactNode }) {
  return (
    <AppTheme>
      <ToastProvider>{children}</ToastProvider>
    </AppTheme>
  );
}

export async function renderInApp(element: ReactElement) {
  await resetPointer();
  return render(element, { wrapper: Wrapper });
}

/** Renders for a signed-in user, with the responses of `serve`. Call `become` to change props. */
export async function renderSignedIn<Props extends object>(Part: ComponentType<Props>, props: Props) {
  const part = (next: Props) => (
    <QueryClientProvider client={queryClient}>
      <SessionProvider>
        <SignedIn>
          <Part {...next} />
        </SignedIn>
      </SessionProvider>
    </QueryClientProvider>
  );
  const screen = await renderInApp(part(props));
  return { become: (next: Props) => screen.rerender(part(next)), leave: () => screen.unmount() };
}

function SignedIn({ children }: { children: ReactNode }) {
  return useSession().state.status === "signedIn" ? children : null;
}
