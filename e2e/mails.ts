// Reads mails that the worker's server has written to its mail folder.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Mails to this address, oldest first, with quoted-printable decoded. */
export async function mailsTo(address: string): Promise<string[]> {
  const folder = path.join(process.env["E2E_DATA_DIR"] ?? "", "mail");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".eml")).toSorted();
  const mails = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return mails
    .filter((mail) => /^To: .*$/m.exec(mail)?.[0].includes(address))
    .map((mail) => mail.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "="));
}
