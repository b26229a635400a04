// Makes a component of each of Google's Material icons that the console imports; one file holds them all (ADR 0082).
import { icons } from "@iconify-json/ic";
import type { Plugin } from "vite";

/** The package that the icons are taken from. */
export const ICON_PACKAGE = "@iconify-json/ic";
const PREFIX = "~icons/ic/";
/** `\0` tells other plugins that there is no such file. */
const MADE = `\0${PREFIX}`;

/** Whether a module of the build is an icon. */
export const isIcon = (id: string) => id.startsWith(MADE);

/** Vite plugin: `import AddRounded from "~icons/ic/round-add"` gives a component like MUI's own icons. Throws on an unknown name. */
export function materialIcons(): Plugin {
  return {
    name: "material-icons",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load: (id) => (isIcon(id) ? moduleOf(id.slice(MADE.length)) : undefined),
  };
}

function moduleOf(name: string): string {
  const paths = [...pictureOf(name).matchAll(/<path ([^>]*?)\/>/g)].map(
    ([, attributes = ""], at) => `jsx("path", {${propertiesOf(attributes)}}, ${at})`,
  );
  return [
    `import { createSvgIcon } from "@mui/material/SvgIcon";`,
    `import { jsx } from "react/jsx-runtime";`,
    `export default /*#__PURE__*/ createSvgIcon([${paths.join(", ")}], ${JSON.stringify(name)});`,
  ].join("\n");
}

/** The SVG inside the icon's square of 24 by 24. */
function pictureOf(name: string): string {
  const { body } = icons.icons[name] ?? {};
  if (body === undefined) throw new Error(`There is no Material icon ${name}`);
  if (body.replaceAll(/<path [^>]*?\/>/g, "") !== "") throw new Error(`${name} is made of more than paths`);
  return body;
}

/** `fill-rule="evenodd" d="M1 1"` as properties of React; the color is that of the component. */
function propertiesOf(attributes: string): string {
  return [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)]
    .filter(([, name]) => name !== "fill")
    .map(
      ([, name = "", value]) =>
        `${name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}: ${JSON.stringify(value)}`,
    )
    .join(", ");
}
