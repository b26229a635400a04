// Lazily loaded pages and components (ER-04).
import { lazyRouteComponent } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { loadChunk } from "./loadChunk.ts";

export function lazyPage<N extends string>(name: N, load: () => Promise<Record<N, ComponentType>>) {
  return lazyRouteComponent(() => loadChunk(name, load), name);
}

/** Creates a lazy component that shows `fallback` if its chunk can't be loaded. Without a fallback, the page fails. */
export const lazyComponent = <N extends string, P>(
  name: N,
  load: () => Promise<Record<N, ComponentType<P>>>,
  fallback?: ComponentType<P>,
) =>
  lazy(() =>
    loadChunk(name, load).then((chunk) => ({ default: chunk[name] }), fallback && (() => ({ default: fallback }))),
  );
