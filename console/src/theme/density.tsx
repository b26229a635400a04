// Row density, a setting kept per user: comfortable (40 px rows) or compact (32 px); touch rows stay 44 px either way.
import { createContext, type ReactNode, useContext, useState } from "react";

export type Density = "comfortable" | "compact";

type DensitySetting = { density: Density; setDensity: (density: Density) => void };

const DensityContext = createContext<DensitySetting>({ density: "comfortable", setDensity: () => undefined });

/** Holds the density for the tables below it; `onChange` lets the owner keep it with the user's other settings. */
export function DensityProvider(props: {
  initial?: Density;
  onChange?: (density: Density) => void;
  children: ReactNode;
}) {
  const [density, setDensity] = useState<Density>(props.initial ?? "comfortable");
  const change = (next: Density) => {
    setDensity(next);
    props.onChange?.(next);
  };
  return <DensityContext value={{ density, setDensity: change }}>{props.children}</DensityContext>;
}

/** The current density and its setter. */
export function useDensity(): DensitySetting {
  return useContext(DensityContext);
}

/** Height of a table row in px. */
export function rowHeight(density: Density): number {
  return density === "compact" ? 32 : 40;
}
