// Colors of ring parts. Within a ring they also differ in lightness, for color-blind users and grayscale prints.
import type { Theme } from "@mui/material/styles";

export const ringColors = {
  connection: { connected: "success.main", notResponding: "warning.dark", disconnected: "text.disabled" },
  type: { APS: "primary.main", "PS.C1": "info.light", ZOD: "secondary.dark" },
  license: { monitored: "primary.main", unmonitored: "text.disabled" },
} as const;

type Groups = Record<string, Record<string, string>>;

/** The CSS variable of a palette key, as charts need it. */
export function colorOf({ vars }: Theme, key: string): string {
  const [group = "", shade = ""] = key.split(".");
  return (vars.palette as unknown as Groups)[group]?.[shade] ?? "";
}
