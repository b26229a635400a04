// Row density, stored per user: comfortable (40 px rows) or compact (32 px). Actions make rows taller on touch screens.
import { createContext, type ReactNode, useContext, useState } from "react";

export type Density = "comfortable" | "compact";

type DensitySetting = { density: Density; setDensity: (density: Density) => void };

const DensityContext = createContext<DensitySetting>({ density: "comfortable", setDensity: () => undefined });

type DensityProviderProps = {
  initial?: Density | undefined;
  onChange?: ((density: Density) => void) | undefined;
  children: ReactNode;
};

/** `onChange` lets the application store the density with the user's settings. */
export function DensityProvider({ initial = "comfortable", onChange, children }: DensityProviderProps) {
  const [density, setState] = useState(initial);
  const setDensity = (next: Density) => {
    setState(next);
    onChange?.(next);
  };
  return <DensityContext value={{ density, setDensity }}>{children}</DensityContext>;
}

export const useDensity = (): DensitySetting => useContext(DensityContext);

/** Height in px. */
export const rowHeight = (density: Density): number => (density === "compact" ? 32 : 40);
