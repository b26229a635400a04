// Vite plugin that turns each imported Material icon into a React component (ADR 0002).
import { icons } from "@iconify-json/ic";
import { type Plugin, transformWithOxc } from "vite";

/** Rollup marks ids of virtual modules with `\0`, so that other plugins leave them alone. */
const prefix = /^\0?~icons\/ic\//;

/** `import AddRounded from "~icons/ic/round-add"` gives a component like MUI's own icons. Throws on an unknown name. */
export function materialIcons(): Plugin {
  return {
    name: "material-icons",
    // Vitest also resolves ids that are resolved already.
    resolveId: { filter: { id: prefix }, handler: (id) => id.replace(/^\0?/, "\0") },
    load: {
      filter: { id: prefix },
      handler(id) {
        const name = id.replace(prefix, "");
        const svg = icons.icons[name]?.body;
        if (svg === undefined) throw new Error(`There is no Material icon ${name}`);
        // Without a fill attribute, MUI's style applies, which uses the color of the surrounding text.
        const jsx = svg
          .replaceAll(' fill="currentColor"', "")
          .replaceAll(/-(\w)(?=\w*=")/g, (_, letter: string) => letter.toUpperCase());
        const code = `import { createSvgIcon } from "@mui/material/SvgIcon";
export default /*#__PURE__*/ createSvgIcon(<>${jsx}</>, ${JSON.stringify(name)});`;
        return transformWithOxc(code, `${name}.jsx`);
      },
    },
  };
}
