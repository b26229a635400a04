// Colors of the rings' parts by their keys in the palette. The words beside them say it all; who confuses hues, or prints in
// gray, still finds each part: the colors of one ring differ in lightness, too.
import type { Theme } from "@mui/material/styles";

export const ringColors = {
  connection: { connected: "success.main", notResponding: "warning.dark", disconnected: "text.disabled" },
  type: { APS: "primary.main", "PS.C1": "info.light", ZOD: "secondary.dark" },
  license: { monitored: "primary.main", unmonitored: "text.disabled" },
} as const;

type Groups = Record<string, Record<string, string>>;

/** The variable of a color, as charts take it. */
export function colorOf({ vars }: Theme, key: string): string {
  const [group = "", shade = ""] = key.split(".");
  return (vars.palette as unknown as Groups)[group]?.[shade] ?? "";
}
