// Vite plugin that turns each imported Material icon into a React component (ADR 0002).
import { icons } from "@iconify-json/ic";
import type { Plugin } from "vite";

export const ICON_PACKAGE = "@iconify-json/ic";
const PREFIX = "~icons/ic/";
/** Rollup marks ids of virtual modules with `\0`, so that other plugins leave them alone. */
const VIRTUAL_PREFIX = `\0${PREFIX}`;

/** Whether a module of the build is an icon. */
export const isIcon = (id: string) => id.startsWith(VIRTUAL_PREFIX);

/** `import AddRounded from "~icons/ic/round-add"` gives a component like MUI's own icons. Throws on an unknown name. */
export function materialIcons(): Plugin {
  return {
    name: "material-icons",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load: (id) => (isIcon(id) ? moduleOf(id.slice(VIRTUAL_PREFIX.length)) : undefined),
  };
}

function moduleOf(name: string): string {
  const paths = [...svgBodyOf(name).matchAll(/<path ([^>]*?)\/>/g)].map(
    ([, attributes = ""], at) => `jsx("path", {${propsOf(attributes)}}, ${at})`,
  );
  return [
    `import { createSvgIcon } from "@mui/material/SvgIcon";`,
    `import { jsx } from "react/jsx-runtime";`,
    `export default /*#__PURE__*/ createSvgIcon([${paths.join(", ")}], ${JSON.stringify(name)});`,
  ].join("\n");
}

/** SVG markup within the icon's 24 × 24 view box. */
function svgBodyOf(name: string): string {
  const { body } = icons.icons[name] ?? {};
  if (body === undefined) throw new Error(`There is no Material icon ${name}`);
  if (body.replaceAll(/<path [^>]*?\/>/g, "") !== "") throw new Error(`${name} is made of more than paths`);
  return body;
}

/** `fill-rule="evenodd" d="M1 1"` as React props. `fill` is dropped: the icon has the color of its text. */
function propsOf(attributes: string): string {
  return [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)]
    .filter(([, name]) => name !== "fill")
    .map(
      ([, name = "", value]) =>
        `${name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}: ${JSON.stringify(value)}`,
    )
    .join(", ");
}
