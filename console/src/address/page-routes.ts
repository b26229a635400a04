// Building blocks for the route table: pages, dialogs over pages, and metadata for the shell.
import { type AnyRoute, createRoute, redirect, type RouteComponent } from "@tanstack/react-router";
import { type Search, formatSearch } from "./address.ts";
import { storedListState } from "./kept-lists.ts";

export type AreaId = "dashboard" | "location" | "sensor" | "init-token" | "firmware" | "account" | "role";

export type RouteMetadata = {
  /** Document title; pages with a name of their own set it themselves. */
  title?: string;
  tab?: AreaId;
  noHeader?: true;
  /** Renders the page without any console frame. */
  bare?: true;
  dialog?: true;
};

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption extends RouteMetadata {}
}

export function pageRoute(
  parent: AnyRoute,
  path: string,
  component: RouteComponent,
  notes: RouteMetadata = {},
  children?: (page: AnyRoute) => AnyRoute[],
): AnyRoute {
  const page = createRoute({ getParentRoute: () => parent, path, component, staticData: notes });
  return children === undefined ? page : page.addChildren(children(page));
}

/** Child routes of a page: one without a dialog, and one for each dialog. */
export function dialogRoutes(page: AnyRoute, dialogs: Record<string, RouteComponent>): AnyRoute[] {
  const staticData = { dialog: true } as const;
  return [
    createRoute({ getParentRoute: () => page, path: "/", staticData }),
    ...Object.entries(dialogs).map(([path, component]) =>
      createRoute({ getParentRoute: () => page, path, staticData, component }),
    ),
  ];
}

type Entered = { cause: string; location: { pathname: string; search: object; hash: string } };

/** Restores the stored order and view if the URL has none, replacing the history entry. */
function restoreListState({ cause, location: { pathname, search, hash } }: Entered): void {
  const kept = cause === "enter" ? storedListState(pathname, search as Search) : {};
  if (Object.keys(kept).length === 0) return;
  const query = formatSearch({ ...search, ...kept });
  throw redirect({ href: `${pathname}${query}${hash === "" ? "" : `#${hash}`}`, replace: true });
}

/** A list that is the only page of its area, with its dialogs. */
export function listRoute(
  parent: AnyRoute,
  path: string,
  component: RouteComponent,
  notes: RouteMetadata,
  dialogs: Record<string, RouteComponent>,
): AnyRoute {
  const list = createRoute({
    getParentRoute: () => parent,
    path,
    component,
    staticData: notes,
    beforeLoad: restoreListState,
  });
  return list.addChildren(dialogRoutes(list, dialogs));
}

/** The list at the URL of an area that also has other pages, with its dialogs. */
export function areaListRoute(
  area: AnyRoute,
  component: RouteComponent,
  dialogs: Record<string, RouteComponent>,
): AnyRoute {
  const list = createRoute({ getParentRoute: () => area, id: "list", component, beforeLoad: restoreListState });
  return list.addChildren(dialogRoutes(list, dialogs));
}
