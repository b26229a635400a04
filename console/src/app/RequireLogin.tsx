// The door of all pages that need a sign-in: asks for it and remembers what was wanted (SH-10).
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useSession } from "../session/session.tsx";
import { searchText } from "../address/address.ts";
import { Redirect } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { LoadingPage } from "../address/StandIns.tsx";
import { UnreachablePage } from "./UnreachablePage.tsx";

export function RequireLogin() {
  const { state, reload } = useSession();
  const wanted = useRouterState({ select: (router) => router.location.href });
  if (state.status === "loading") return <LoadingPage />;
  if (state.status === "unreachable") return <UnreachablePage onRetry={() => void reload()} />;
  if (state.status === "signedIn") return <Outlet />;
  const from = state.after === "logout" || wanted === "/" ? {} : { from: wanted };
  return <Redirect to={paths.login + searchText(from)} />;
}
