// Pages come in pieces of their own (ER-04).
import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { loadPiece } from "./loadPiece.ts";

/** The page named `name`, loaded when it is first shown. */
export function lazyPage<N extends string>(name: N, load: () => Promise<Record<N, ComponentType>>) {
  return lazyRouteComponent(() => loadPiece(name, load), name);
}
