// Path of the page of vehicles, which is a view of the sensor list.
import { formatSearch } from "../address/address.ts";
import { paths } from "../address/paths.ts";

export const vehiclesPath = paths.sensors + formatSearch({ viewType: "vehicles" });
