// A component in a chunk of its own that a page can do without: if the chunk can't be loaded, nothing is rendered.
import { type ComponentType, lazy } from "react";

export const lazyOrNothing = <P>(load: () => Promise<ComponentType<P>>) =>
  lazy(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: (): null => null }),
    ),
  ) as ComponentType<P>;
