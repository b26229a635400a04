// Faults of an installation.
import type { Fault } from "./world.ts";

/** The new firmware fails its self-test and the old one comes back. */
export function failsSelfTest(): Fault {
  return { update: "selftest" };
}

/** One byte of the download turns over. */
export function damagedDownload(): Fault {
  return { update: "hash" };
}

/** The new firmware runs, but never reaches the cloud; the device rolls back by itself. */
export function mutedByUpdate(): Fault {
  return { update: "silent" };
}

/** The device trusts another key than the server's. */
export function foreignKey(): Fault {
  return { update: "sig" };
}

/** Power fails in the middle of the download and in the middle of the installation. */
export function losesPower(): Fault {
  return { update: "power" };
}

/** The installation neither ends nor fails. */
export function staysStuck(): Fault {
  return { update: "stuck" };
}
