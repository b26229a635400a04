// Row density, a setting kept per user: comfortable (40 px rows) or compact (32 px); touch rows stay 44 px either way.
import { createContext, type ReactNode, useContext, useState } from "react";

export type Density = "comfortable" | "compact";

type DensitySetting = { density: Density; setDensity: (density: Density) => void };

const DensityContext = createContext<DensitySetting>({ density: "comfortable", setDensity: () => undefined });

type DensityProviderProps = {
  initial?: Density | undefined;
  onChange?: ((density: Density) => void) | undefined;
  children: ReactNode;
};

/** Holds the density for the tables below it; `onChange` lets the owner keep it with the user's other settings. */
export function DensityProvider({ initial = "comfortable", onChange, children }: DensityProviderProps) {
  const [density, setState] = useState(initial);
  const setDensity = (next: Density) => {
    setState(next);
    onChange?.(next);
  };
  return <DensityContext value={{ density, setDensity }}>{children}</DensityContext>;
}

export const useDensity = (): DensitySetting => useContext(DensityContext);

/** Height of a table row in px. */
export const rowHeight = (density: Density): number => (density === "compact" ? 32 : 40);
