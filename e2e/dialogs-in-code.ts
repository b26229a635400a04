// Finds dialogs, drawers and menus in the console's sources.

import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";

const SOURCES = path.resolve(import.meta.dirname, "../console/src");
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
/** Files that define the dialog wrappers. */
const made =
  /^(ui\/MenuButton|ui\/(form|batch)\/(Form|Confirm|Batch|Conflict)Dialog|entity\/(DeleteOwned|EditOwned|NewOwned))\.tsx$/;

/** Names such as `sensor/NetworkReset.tsx ConfirmDialog`. The second dialog of a kind in a file gets the suffix ` 2`. */
export async function findDialogsInSources(): Promise<string[]> {
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
