// How a noun describes its part of the route table: pages, dialogs over a page, and what each reports to the shell.
import { type AnyRoute, createRoute, redirect, type RouteComponent } from "@tanstack/react-router";
import { type Search, searchText } from "./address.ts";
import { keptOf } from "./kept-lists.ts";

/** The areas that have a tab in the header. */
export type AreaId = "dashboard" | "location" | "sensor" | "init-token" | "firmware" | "account" | "role";

/** What a route says of itself to the shell. */
export type RouteNotes = {
  /** Title of the window; pages with a name of their own set it themselves. */
  title?: string;
  tab?: AreaId;
  /** The page is shown without the header (SH-01). */
  noHeader?: true;
  /** The page has the whole window: nothing of the console is around it. */
  bare?: true;
  /** Only a dialog over its parent: not a new page. */
  dialog?: true;
};

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption extends RouteNotes {}
}

export function pageAt(
  parent: AnyRoute,
  path: string,
  component: RouteComponent,
  notes: RouteNotes = {},
  children?: (page: AnyRoute) => AnyRoute[],
): AnyRoute {
  const page = createRoute({ getParentRoute: () => parent, path, component, staticData: notes });
  return children === undefined ? page : page.addChildren(children(page));
}

/** What every page has over which dialogs open: its own address without any, and those of the dialogs. */
export function dialogsOver(page: AnyRoute, dialogs: Record<string, RouteComponent>): AnyRoute[] {
  const staticData = { dialog: true } as const;
  return [
    createRoute({ getParentRoute: () => page, path: "/", staticData }),
    ...Object.entries(dialogs).map(([path, component]) =>
      createRoute({ getParentRoute: () => page, path, staticData, component }),
    ),
  ];
}

type Entered = { cause: string; location: { pathname: string; search: object; hash: string } };

/** A list that is opened has the order and the view that this browser kept, where its address says none; Back does not return to it bare. */
function withKept({ cause, location: { pathname, search, hash } }: Entered): void {
  const kept = cause === "enter" ? keptOf(pathname, search as Search) : {};
  if (Object.keys(kept).length === 0) return;
  const query = searchText({ ...search, ...kept });
  throw redirect({ href: `${pathname}${query}${hash === "" ? "" : `#${hash}`}`, replace: true });
}

/** A list that is its area's only page, and the dialogs over it. */
export function listAt(
  parent: AnyRoute,
  path: string,
  component: RouteComponent,
  notes: RouteNotes,
  dialogs: Record<string, RouteComponent>,
): AnyRoute {
  const list = createRoute({ getParentRoute: () => parent, path, component, staticData: notes, beforeLoad: withKept });
  return list.addChildren(dialogsOver(list, dialogs));
}

/** The list of an area that has other pages, too: it is at the area's address, and the dialogs over it. */
export function listInArea(
  area: AnyRoute,
  component: RouteComponent,
  dialogs: Record<string, RouteComponent>,
): AnyRoute {
  const list = createRoute({ getParentRoute: () => area, id: "list", component, beforeLoad: withKept });
  return list.addChildren(dialogsOver(list, dialogs));
}
