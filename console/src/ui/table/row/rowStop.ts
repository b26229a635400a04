// What stands in a row is in the tab order only while the row is: links in cells ask here.
import { createContext } from "react";

/** The `tabIndex` of links in the row; undefined outside of lists. */
export const RowStop = createContext<0 | -1 | undefined>(undefined);
