// Creates the root account of an empty database with all rights and a first login (docs/rules/permissions.md#root-account).
import { randomInt } from "node:crypto";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { evaluatePassword } from "../credential/password.service.ts";
import { type Config, exposedHint } from "../config.ts";
import { ConfigError } from "../environment.ts";
import type { Context } from "../context.ts";
import type { Logger } from "pino";
import { lockRights } from "../db/locks.ts";
import { allocatePathLabels } from "../db/account-path.ts";
import { findSharedDomainWarning } from "../kit/site.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { write } from "../db/write.ts";
import { insertFirstRole } from "../role/rights.service.ts";
import * as writes from "./account.write.store.ts";

const rootName = "PS Support";

/**
 * Returns the login only if its password was generated, to be shown once. Throws ConfigError if sensor pages could set the
 * console's cookies; an installation that already has accounts starts anyway, with a warning.
 */
export async function bootstrapRoot(ctx: Context): Promise<{ email: string; password: string } | null> {
  if (await writes.hasAccounts(ctx.db)) return null;
  const shared = findSharedDomainWarning(ctx.config);
  if (shared !== null) throw new ConfigError(shared);
  const { email, password: given } = ctx.config.admin;
  const password = given ?? randomPassword();
  const hash = await hashPassword(ctx, password);
  const made = await write(ctx, { system: "bootstrap" }, async (w) => {
    await lockRights(w.tx, "change");
    // Another process may start on the same empty database.
    if (await writes.hasAccounts(w.tx)) return false;
    const id = uuidv7(ctx.clock.now());
    const [path = ""] = await allocatePathLabels(w.tx, 1);
    const now = ctx.clock.date();
    const role = await insertFirstRole(ctx, w.tx, { id, path });
    const place = { parent_id: null, ancestor_ids: [], path };
    await writes.insertAccounts(w.tx, [
      { id, name: rootName, ...place, role_id: role, created_at: now, updated_at: now },
    ]);
    const login = { id: uuidv7(now.getTime()), email, step: registrationSteps.complete, password_hash: hash };
    await writes.insertCredentials(w.tx, [{ ...login, account_id: id, position: 0, created_at: now }]);
    const after = { name: rootName, credentials: [{ email }] };
    w.audit({ action: "create", object: { type: "account", _id: id }, owner: { id, path }, after });
    return true;
  });
  return made && given === null ? { email, password } : null;
}

/**
 * Throws ConfigError for a weak configured password if the server is exposed, even if the root account exists: it may have been
 * created with this password while only local connections were possible.
 */
export function requireStrongAdminPassword({ admin, isExposed }: Config, log: Logger): void {
  if (admin.password === null) return;
  const rules = evaluatePassword(admin.password, { name: rootName, email: admin.email }).details;
  const missing = rules.filter(({ fulfilled }) => !fulfilled).map(({ requirement }) => requirement);
  if (missing.length === 0) return;
  const sentence = `ADMIN_PASSWORD is too weak (${missing.join(", ")})`;
  if (isExposed) throw new ConfigError(`${sentence}, which is refused ${exposedHint}`);
  log.warn(sentence);
}

// Without characters that look alike, because people read the password from a terminal and type it.
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/** Four groups of five characters: 99 random bits. */
function randomPassword(): string {
  const group = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}
