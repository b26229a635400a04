// The mails that the product of this worker sent, from the folder where it puts them without a mail server.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** All mails to an address, oldest first, without the line breaks of their encoding. */
export async function mailsTo(address: string): Promise<string[]> {
  const folder = path.join(process.env["E2E_DATA_DIR"] ?? "", "mail");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".eml")).toSorted();
  const mails = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return (
    mails
      .filter((mail) => /^To: .*$/m.exec(mail)?.[0].includes(address))
      // Quoted-printable breaks long lines and spells the equals sign.
      .map((mail) => mail.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "="))
  );
}
