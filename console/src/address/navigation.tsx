// Navigation: links and programmatic navigation with query policies, and document titles.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { Link, type LinkProps } from "@mui/material";
import { type RouterHistory, useMatch, useParams, useRouter, useRouterState, useSearch } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import rows from "../ui/theme/rows.module.css";
import type { NavigationBlocker } from "../ui/form/DirtyGuard.ts";
import type { ResolveLink } from "../ui/ObjectLink.tsx";
import { isPlainClick } from "../ui/plainClick.ts";
import { RowTabIndex } from "../ui/table/row/rowTabIndex.ts";
import { buildHref, type QueryPolicy, type SearchParams } from "./address.ts";
import { paths } from "./paths.ts";

/** Query parameters of the displayed page, unaffected by a pending navigation. */
export function useSearchParams(): SearchParams {
  return useSearch({ strict: false });
}

/** The part of the displayed page's path that the route of the calling component matches. */
export function useMatchedPath(): string {
  return useMatch({ strict: false, select: (match) => match.pathname });
}

/** Path of the URL. During a navigation, this is already the target. */
export function usePath(): string {
  return useRouterState({ select: (state) => state.location.pathname });
}

/** Position in the browser's history, which a redirect does not change. */
export function useHistoryIndex(): number {
  return useRouterState({ select: (state) => state.location.state.__TSR_index });
}

export function useParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  return params[name] ?? "";
}

type Step = { query?: QueryPolicy; replace?: boolean };
export type Go = (path: string, options?: Step) => void;

function step(
  router: ReturnType<typeof useRouter>,
  path: string,
  { query = "keep", ...how }: Step & { ignoreBlocker?: boolean } = {},
) {
  void router.navigate({ href: buildHref(path, router.state.location.search as SearchParams, query), ...how });
}

/** Navigates to a path of `paths.ts`; keeps the query by default. */
export function useGo(): Go {
  const router = useRouter();
  return useCallback<Go>((path, options) => step(router, path, options), [router]);
}

/** Returns a function that builds URLs for paths of `paths.ts`, so that a list needs one hook for many links. */
export function useHref(): (path: string, query?: QueryPolicy) => string {
  const search = useSearchParams();
  return useCallback((path, query = "keep") => buildHref(path, search, query), [search]);
}

const plainPath = (path: string) => `${decodeURIComponent(path).replace(/\/$/, "")}/`;

/** Like `useGo`, but for use after a save. Skips leave guards, and does nothing if the user has already left the page. */
export function useGoAfterSave(): Go {
  const router = useRouter();
  const here = useMatchedPath();
  return useCallback<Go>(
    (path, options) => {
      if (plainPath(router.latestLocation.pathname).startsWith(plainPath(here)))
        step(router, path, { ...options, ignoreBlocker: true });
    },
    [router, here],
  );
}

function linkProps(router: ReturnType<typeof useRouter>, href: string) {
  return {
    href,
    onClick: (event: MouseEvent<HTMLElement>) => {
      if (!isPlainClick(event) || event.defaultPrevented) return;
      event.preventDefault();
      void router.navigate({ href });
    },
  };
}

const pathOf: Record<NamedObject["type"], (id: string) => string> = {
  account: paths.account,
  artifact: paths.firmwareItem,
  "init-token": paths.initToken,
  measurement: paths.locationGeneral,
  report: paths.report,
  role: paths.role,
  sensor: paths.sensor,
};

/** Creates links to the objects that refusals name. For `ObjectLinksProvider`, which renders outside of pages. */
export const createObjectLinks =
  (router: ReturnType<typeof useRouter>): ResolveLink =>
  ({ type, id }) =>
    linkProps(router, pathOf[type](id));

/** The URL fragment (the open section of a dialog). Changes replace the history entry. */
export function useUrlFragment(): readonly [fragment: string, open: (fragment: string) => void] {
  const router = useRouter();
  const fragment = useRouterState({ select: (state) => state.location.hash });
  const open = useCallback(
    (hash: string) =>
      void router.navigate({
        to: ".",
        search: (now: SearchParams) => now,
        hash,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      }),
    [router],
  );
  return [fragment, open];
}

/** One query parameter or null, and its setter, which replaces the history entry. */
export function useSearchParameter(name: string): readonly [value: string | null, set: (value: string | null) => void] {
  const router = useRouter();
  const value = useSearchParams()[name];
  const set = useCallback(
    (next: string | null) =>
      void router.navigate({
        to: ".",
        search: ({ [name]: _before, ...kept }: SearchParams) => (next === null ? kept : { ...kept, [name]: next }),
        hash: true,
        replace: true,
        resetScroll: false,
      }),
    [router, name],
  );
  return [typeof value === "string" && value !== "" ? value : null, set];
}

export function useLink(path: string, query: QueryPolicy = "keep") {
  const router = useRouter();
  const search = useSearchParams();
  return {
    ...linkProps(router, buildHref(path, search, query)),
    onPointerEnter: () => void router.preloadRoute({ to: path.replace(/\?.*/, "") }).catch(() => undefined),
  };
}

/** Replaces the current URL, once per page, unless the user has already left the page. `to` includes the query. */
export function Redirect({ to }: { to: string }) {
  // Without the key, React would reuse this component for a second redirect and keep the old target.
  return <RedirectOnce key={useMatchedPath()} to={to} />;
}

function RedirectOnce({ to }: { to: string }) {
  const router = useRouter();
  // Fixed on mount: `to` may depend on the URL, which changes during navigation.
  const [target] = useState(to);
  useEffect(() => {
    const shown = router.state.matches.at(-1)?.pathname ?? "";
    if (plainPath(router.latestLocation.pathname) === plainPath(shown))
      void router.navigate({ href: target, replace: true });
  }, [router, target]);
  return null;
}

/** Adapts the router for `useDirtyGuard`, which doesn't depend on it. */
export function createNavigationBlocker({ history }: { history: RouterHistory }): NavigationBlocker {
  return (mayGo) =>
    history.block({
      blockerFn: async ({ currentLocation, nextLocation }) =>
        currentLocation.pathname !== nextLocation.pathname && !(await mayGo()),
      enableBeforeUnload: false,
    });
}

type AppLinkProps = Omit<LinkProps, "href" | "onClick"> & { to: string; query?: QueryPolicy };

export function AppLink({ to, query = "keep", ...props }: AppLinkProps) {
  const tabIndex = useContext(RowTabIndex);
  return <Link {...(tabIndex !== undefined && { tabIndex })} {...props} {...useLink(to, query)} />;
}

export function CellLink({ to, query = "keep", children }: { to: string; query?: QueryPolicy; children: ReactNode }) {
  const tabIndex = useContext(RowTabIndex);
  return (
    <a
      className={`${rows["link"]} ${rows["line"]}`}
      {...(tabIndex !== undefined && { tabIndex })}
      {...useLink(to, query)}
    >
      {children}
    </a>
  );
}

const pageNames: { name: string }[] = [];
let areaName = "";

function showName(): void {
  const name = pageNames.at(-1)?.name ?? areaName;
  document.title = name === "" ? "PS.Platform" : `${name} – PS.Platform`;
}

/** Sets the document title while mounted: "00:1E:C0:12:34:56 – PS.Platform". */
export function useTitle(name: string): void {
  useEffect(() => {
    const entry = { name };
    pageNames.push(entry);
    showName();
    return () => {
      pageNames.splice(pageNames.indexOf(entry), 1);
      showName();
    };
  }, [name]);
}

/** Sets the document title for pages that don't call `useTitle`. */
export function useAreaTitle(name: string): void {
  useEffect(() => {
    areaName = name;
    showName();
  }, [name]);
}
