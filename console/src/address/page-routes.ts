// Builds the routes of pages, and of dialogs over pages.
import { type AnyRoute, createRoute, redirect, type RouteComponent } from "@tanstack/react-router";
import { type SearchParams, formatSearch } from "./address.ts";
import { readListState } from "./kept-lists.ts";

export type AreaId = "dashboard" | "location" | "sensor" | "init-token" | "firmware" | "account" | "role";

export type RouteMetadata = {
  /** Document title. Pages that call `useTitle` omit it. */
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

/** If the URL has no order or view, throws a redirect that adds the stored ones. */
function restoreListState({ cause, location: { pathname, search, hash } }: Entered): void {
  const kept = cause === "enter" ? readListState(pathname, search as SearchParams) : {};
  if (Object.keys(kept).length === 0) return;
  const query = formatSearch({ ...search, ...kept });
  throw redirect({ href: `${pathname}${query}${hash === "" ? "" : `#${hash}`}`, replace: true });
}

/** Route of a list that is the only page of its area, with the list's dialogs. */
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

/** Route of a list that shares its area with other pages, with the list's dialogs. */
export function areaListRoute(
  area: AnyRoute,
  component: RouteComponent,
  dialogs: Record<string, RouteComponent>,
): AnyRoute {
  const list = createRoute({ getParentRoute: () => area, id: "list", component, beforeLoad: restoreListState });
  return list.addChildren(dialogRoutes(list, dialogs));
}
