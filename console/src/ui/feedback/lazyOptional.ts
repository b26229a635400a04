// A lazy component for non-essential content: renders nothing if its chunk fails to load.
import { type ComponentType, lazy } from "react";

export const lazyOptional = <P>(load: () => Promise<ComponentType<P>>) =>
  lazy(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: (): null => null }),
    ),
  ) as ComponentType<P>;
