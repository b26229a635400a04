// Requires a login before pages are shown (SH-10).
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { formatSearch } from "../address/address.ts";
import { Redirect } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { LoadingPage } from "../address/FallbackPages.tsx";
import { useSession } from "../api/session/session.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { appText } from "./app.text.ts";

/** Redirects to the login and remembers the requested page (SH-10). */
export function RequireLogin() {
  const { state, reload } = useSession();
  const wanted = useRouterState({ select: (router) => router.location.href });
  if (state.status === "loading") return <LoadingPage />;
  if (state.status === "unreachable") return <UnreachablePage onRetry={() => void reload()} />;
  // The key resets page state when another account signs in.
  if (state.status === "signedIn") return <Outlet key={state.user._id} />;
  const from = state.after === "logout" || wanted === "/" ? {} : { from: wanted };
  return <Redirect to={paths.login + formatSearch(from)} />;
}

const retryMs = 3000;

function UnreachablePage({ onRetry }: { onRetry: () => void }) {
  useEffect(() => {
    const timer = setInterval(onRetry, retryMs);
    return () => clearInterval(timer);
  }, [onRetry]);
  return (
    <EmptyState
      kind="offline"
      title={appText.connectionLost}
      text={appText.unreachable}
      action={{ label: appText.tryAgain, onClick: onRetry }}
    />
  );
}
