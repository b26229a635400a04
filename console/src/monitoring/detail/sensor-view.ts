// Context with the current picture of a sensor, for issues about an obstructed view (MO-04, SE-11). The shell provides it,
// because monitoring must not import from sensors.
import { createContext, type ReactNode } from "react";

export const SensorViewContext = createContext<(sensorId: string) => ReactNode>(() => null);
