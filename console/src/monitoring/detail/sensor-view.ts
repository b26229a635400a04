// What a sensor sees now, beside an issue about its view (MO-04, SE-11). Sensors lie above monitoring: the frame of the console says
// how a view is drawn.
import { createContext, type ReactNode } from "react";

export const SensorViewContext = createContext<(sensorId: string) => ReactNode>(() => null);
