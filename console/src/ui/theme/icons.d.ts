// Google's Material icons, as the build makes them (console/icons.config.ts).
declare module "~icons/ic/*" {
  import type SvgIcon from "@mui/material/SvgIcon";

  const Icon: typeof SvgIcon;
  export { Icon as default };
}
