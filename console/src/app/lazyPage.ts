// Pages come in pieces of their own, and a piece that can't be loaded says which one it was (ER-04).
import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";

/** Limit of the specification for one piece (spec 3 §9). */
const timeoutMs = 120_000;

/** Its message is verbatim (spec 3 §8). */
export class ChunkError extends Error {
  constructor(id: string, cause: unknown) {
    super(`Loading chunk ${id} failed`, { cause });
    this.name = "ChunkError";
  }
}

/** Loads a piece, or throws a ChunkError that names it. */
export async function loadPiece<T>(name: string, load: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timeout")), timeoutMs);
  });
  try {
    return await Promise.race([load(), late]);
  } catch (error) {
    throw new ChunkError(name, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The page named `name`, loaded when it is first shown. */
export function lazyPage<N extends string>(name: N, load: () => Promise<Record<N, ComponentType>>) {
  return lazyRouteComponent(() => loadPiece(name, load), name);
}
