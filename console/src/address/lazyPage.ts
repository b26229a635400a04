// Pages, and parts of them, in chunks of their own (ER-04).
import { lazyRouteComponent } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { loadPiece } from "./loadPiece.ts";

/** The page named `name`, loaded when it is first shown. */
export function lazyPage<N extends string>(name: N, load: () => Promise<Record<N, ComponentType>>) {
  return lazyRouteComponent(() => loadPiece(name, load), name);
}

/** The part of a page named `name`, loaded when it is first shown. Where it can't be had, `standIn` is shown, or else the page fails. */
export const lazyPart = <N extends string, P>(
  name: N,
  load: () => Promise<Record<N, ComponentType<P>>>,
  standIn?: ComponentType<P>,
) =>
  lazy(() =>
    loadPiece(name, load).then((piece) => ({ default: piece[name] }), standIn && (() => ({ default: standIn }))),
  );
