// Seeds the demo's firmware with files that the simulated fleet downloads, verifies and installs.
import { createHash } from "node:crypto";
import { semverKey } from "@psp/contract/firmware/semver.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { assignSeq } from "../firmware/firmware.service.ts";
import { signPackage } from "../firmware/manifest.service.ts";
import { storePackage } from "../firmware/package/package.service.ts";
import { firmwareVersions } from "./world.seed.ts";

const blocks = 12_000;

/** A fake image: a header and about 400 kB of random-looking bytes. */
async function* imageOf(type: string, version: string): AsyncGenerator<Buffer> {
  const head = `PS firmware image ${type} ${version}\n`;
  yield Buffer.from(head);
  for (let n = 0; n < blocks; n += 100) {
    const part = Array.from({ length: 100 }, (_, k) =>
      createHash("sha256")
        .update(`${head}${n + k}`)
        .digest(),
    );
    yield Buffer.concat(part);
  }
}

export async function seedFirmware(
  ctx: Context,
  tx: Tx,
  owner: { id: string; path: string; parentAccounts: string[] },
): Promise<{ id: string; type: string; name: string }[]> {
  const made: { id: string; type: string; name: string }[] = [];
  for (const { type, name } of firmwareVersions) {
    const { id: packageId, size, md5, sha256 } = await storePackage(ctx, imageOf(type, name));
    const id = uuidv7(ctx.clock.now());
    await tx
      .insertInto("firmware")
      .values({
        id,
        type,
        name,
        precedence: semverKey(name),
        seq: await assignSeq(tx, owner, type, name),
        owner_id: owner.id,
        owner_path: owner.path,
        children_can_view: true,
        package_id: packageId,
        size: String(size),
        md5,
        sha256,
        signature: signPackage(ctx.config.secrets.firmware, { type, size, sha256, md5 }),
      })
      .execute();
    made.push({ id, type, name });
  }
  return made;
}
