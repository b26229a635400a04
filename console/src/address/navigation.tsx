// Moving inside the console: links and steps that keep the query as decided, and the title of the window.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { Link, type LinkProps } from "@mui/material";
import { type RouterHistory, useMatch, useParams, useRouter, useRouterState, useSearch } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import rows from "../theme/rows.module.css";
import type { Barrier } from "../ui/form/DirtyGuard.ts";
import type { LinkTo } from "../ui/ObjectLink.tsx";
import { isPlainClick } from "../ui/plainClick.ts";
import { RowStop } from "../ui/table/row/rowStop.ts";
import { addressOf, type QueryPolicy, type Search } from "./address.ts";
import { paths } from "./paths.ts";

/** The query of the page that is shown: a step under way does not change it yet. */
export function useSearchParams(): Search {
  return useSearch({ strict: false });
}

/** The path of the page that is shown, down to the route that asks. */
export function useMatchedPath(): string {
  return useMatch({ strict: false, select: (match) => match.pathname });
}

/** The path in the address bar, of a step under way already. */
export function usePath(): string {
  return useRouterState({ select: (state) => state.location.pathname });
}

/** A part of the present path by its name in the route table; empty when the route has none. */
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
  void router.navigate({ href: addressOf(path, router.state.location.search as Search, query), ...how });
}

/** Steps to a path of `paths.ts`; keeps the query by default. */
export function useGo(): Go {
  const router = useRouter();
  return useCallback<Go>((path, options) => step(router, path, options), [router]);
}

/** Addresses of paths of `paths.ts`, for what lists hold many of. */
export function useAddress(): (path: string, query?: QueryPolicy) => string {
  const search = useSearchParams();
  return useCallback((path, query = "keep") => addressOf(path, search, query), [search]);
}

const plainPath = (path: string) => `${decodeURIComponent(path).replace(/\/$/, "")}/`;

/**
 * `useGo` for a form that is done with, saved or given up: nothing holds it back, and who has left the page while it waited
 * for an answer stays where they are.
 */
export function useGoFromHere(): Go {
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

/** Attributes that make any element a link of the console: a real address, and a step without loading the page again. */
function linkOf(router: ReturnType<typeof useRouter>, href: string) {
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
  role: paths.role,
  sensor: paths.sensor,
};

/** For `ObjectLinks`, which is outside of the pages because messages are: where the objects lead that a refusal names. */
export const linksOf =
  (router: ReturnType<typeof useRouter>): LinkTo =>
  ({ type, id }) =>
    linkOf(router, pathOf[type](id));

/** The part of the present address behind "#": which part of a dialog is open. It is no new page, and Back leaves the dialog. */
export function useFragment(): readonly [fragment: string, open: (fragment: string) => void] {
  const router = useRouter();
  const fragment = useRouterState({ select: (state) => state.location.hash });
  const open = useCallback(
    (hash: string) =>
      void router.navigate({
        to: ".",
        search: (now: Search) => now,
        hash,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      }),
    [router],
  );
  return [fragment, open];
}

/** One text of the query of the page that is shown, or null, and how to change it; the address is replaced, not stepped from. */
export function useSearchParameter(name: string): readonly [value: string | null, set: (value: string | null) => void] {
  const router = useRouter();
  const value = useSearchParams()[name];
  const set = useCallback(
    (next: string | null) =>
      void router.navigate({
        to: ".",
        search: ({ [name]: _before, ...kept }: Search) => (next === null ? kept : { ...kept, [name]: next }),
        hash: true,
        replace: true,
        resetScroll: false,
      }),
    [router, name],
  );
  return [typeof value === "string" && value !== "" ? value : null, set];
}

/** Attributes that make any element a link to a path of `paths.ts`. */
export function useLink(path: string, query: QueryPolicy = "keep") {
  const router = useRouter();
  const search = useSearchParams();
  return {
    ...linkOf(router, addressOf(path, search, query)),
    // The page's code is fetched while the pointer is still on its way.
    onPointerEnter: () => void router.preloadRoute({ to: path.replace(/\?.*/, "") }).catch(() => undefined),
  };
}

/** Replaces the present address at once, and only once per page. `to` is an address with its query. */
export function Redirect({ to }: { to: string }) {
  // If the next page redirects, too, React would reuse this component and keep the old target.
  return <RedirectOnce key={useMatchedPath()} to={to} />;
}

function RedirectOnce({ to }: { to: string }) {
  const router = useRouter();
  // While the step is under way the present address is the next one already, and `to` may be made from it.
  const [target] = useState(to);
  useEffect(() => void router.navigate({ href: target, replace: true }), [router, target]);
  return null;
}

/** For `useDirtyGuard`, which knows no router. */
export function barrierOf({ history }: { history: RouterHistory }): Barrier {
  return (mayGo) =>
    history.block({
      blockerFn: async ({ currentLocation, nextLocation }) =>
        currentLocation.pathname !== nextLocation.pathname && !(await mayGo()),
      enableBeforeUnload: false,
    });
}

type AppLinkProps = Omit<LinkProps, "href" | "onClick"> & { to: string; query?: QueryPolicy };

export function AppLink({ to, query = "keep", ...props }: AppLinkProps) {
  const tabIndex = useContext(RowStop);
  return <Link {...(tabIndex !== undefined && { tabIndex })} {...props} {...useLink(to, query)} />;
}

/** A link in a cell of a list, on one line. */
export function CellLink({ to, query = "keep", children }: { to: string; query?: QueryPolicy; children: ReactNode }) {
  const tabIndex = useContext(RowStop);
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

// Names that pages have given to the window, the latest last.
const pageNames: { name: string }[] = [];
let areaName = "";

function showName(): void {
  const name = pageNames.at(-1)?.name ?? areaName;
  document.title = name === "" ? "PS.Platform" : `${name} – PS.Platform`;
}

/** Names the window after the page while it is shown: "00:1E:C0:12:34:56 – PS.Platform". */
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

/** What the window is called where the page has no name of its own. */
export function useAreaTitle(name: string): void {
  useEffect(() => {
    areaName = name;
    showName();
  }, [name]);
}
