// Context that provides the sensor picture for issues about its view (MO-04, SE-11). Monitoring must not import sensors, so the
// shell provides it.
import { createContext, type ReactNode } from "react";

export const SensorViewContext = createContext<(sensorId: string) => ReactNode>(() => null);
