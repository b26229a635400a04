// Finds the dialogs, drawers and menus in the sources of the console.

import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";

const SOURCES = path.resolve(import.meta.dirname, "../console/src");
/** Parts of the component library, and the frames that the console makes of them. */
const library = ["Dialog", "Drawer", "Menu"];
const frames = [
  "FormDialog",
  "ConfirmDialog",
  "BatchDialog",
  "DeleteDialog",
  "DeleteOwned",
  "EditOwned",
  "NewOwned",
  "ConflictDialog",
  "DiscardDialog",
  "MenuButton",
];
/** Where the frames are made; they are seen inside the components that use them. */
const made =
  /^(ui\/MenuButton|ui\/(form|batch)\/(Form|Confirm|Batch|Conflict)Dialog|entity\/(DeleteOwned|EditOwned|NewOwned))\.tsx$/;

/** `sensor/NetworkReset.tsx ConfirmDialog` for each dialog that stands in the sources; a second one in a file is `… 2`. */
export async function dialogsInCode(): Promise<string[]> {
  const files = (await readdir(SOURCES, { recursive: true }))
    .map((file) => file.replaceAll(path.sep, "/"))
    .filter((file) => file.endsWith(".tsx") && !/\.test\.tsx$|^testing\//.test(file) && !made.test(file));
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(path.join(SOURCES, file), "utf8");
    const fromLibrary = library.filter((name) =>
      new RegExp(`"@mui/material/${name}"|import \\{[^}]*\\b${name}\\b[^}]*\\} from "@mui/material"`).test(text),
    );
    const names = [...text.matchAll(/<(\w+)(?=[\s>]+(?!\|))/g)].map(([, name]) => name ?? "");
    const counts = new Map<string, number>();
    return names
      .filter((name) => frames.includes(name) || fromLibrary.includes(name))
      .map((name) => {
        const n = (counts.get(name) ?? 0) + 1;
        counts.set(name, n);
        return `${file} ${name}${n === 1 ? "" : ` ${n}`}`;
      });
  });
}
