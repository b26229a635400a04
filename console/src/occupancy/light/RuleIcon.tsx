// The sign of a rule for visitors: one of its own for the four that every display begins with.
import CleanHandsOutlined from "@mui/icons-material/CleanHandsOutlined";
import DoNotTouchOutlined from "@mui/icons-material/DoNotTouchOutlined";
import InfoOutlined from "@mui/icons-material/InfoOutlined";
import MasksOutlined from "@mui/icons-material/MasksOutlined";
import SickOutlined from "@mui/icons-material/SickOutlined";
import SocialDistanceOutlined from "@mui/icons-material/SocialDistanceOutlined";
import type { ElementType } from "react";

const icons: Readonly<Record<string, ElementType>> = {
  distance: SocialDistanceOutlined,
  mask: MasksOutlined,
  sneeze: SickOutlined,
  "no touch": DoNotTouchOutlined,
  hands: CleanHandsOutlined,
};

export function RuleIcon({ name }: { name: string }) {
  const Icon = icons[name.trim().toLowerCase()] ?? InfoOutlined;
  return <Icon aria-hidden sx={{ fontSize: "1.7em", flex: "none" }} />;
}
