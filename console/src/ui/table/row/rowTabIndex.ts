// Context for links in cells: they are in the tab order only while their row is.
import { createContext } from "react";

/** The `tabIndex` of links in the row; undefined outside of lists. */
export const RowTabIndex = createContext<0 | -1 | undefined>(undefined);
