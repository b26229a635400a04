// Icon of a display rule. Default rules have specific icons, which are found by name.
import CleanHandsOutlined from "~icons/ic/outline-clean-hands";
import DoNotTouchOutlined from "~icons/ic/outline-do-not-touch";
import InfoOutlined from "~icons/ic/outline-info";
import MasksOutlined from "~icons/ic/outline-masks";
import SickOutlined from "~icons/ic/outline-sick";
import SocialDistanceOutlined from "~icons/ic/outline-social-distance";
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
