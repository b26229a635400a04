// Sets the passwords of newly enrolled devices at an external broker, outside the transaction that stores them.
import { errorCode } from "@psp/contract/errors.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import { lockSensorRows } from "../../db/locks.ts";
import { AppError } from "../../kit/app-error.ts";
import { hashToken } from "../../kit/tokens.ts";
import type { Provisioner } from "../../mqtt/dynamic-security.ts";
import { findUnprovisioned, markProvisioned } from "../device.store.ts";

/** Each call occupies a database connection while it waits for the broker. */
const fewOutside = pLimit(4);
const retryAfterS = 5;

/**
 * Storing a sensor locks the totals of its owner, so the broker is not awaited in that transaction. Until the broker has confirmed the
 * password, no device has received it, and a device with a token of the same owner may enroll again. Throws 503 if the broker does not
 * confirm, or if the device has enrolled again meanwhile.
 */
export async function provisionDevice(
  ctx: Context,
  outside: Provisioner,
  { sensorId, secret }: { sensorId: string; secret: string },
): Promise<void> {
  const isDone = await fewOutside(() =>
    ctx.db.transaction().execute(async (tx) => {
      await lockSensorRows(tx, [sensorId]);
      const num = await findUnprovisioned(tx, sensorId, hashToken(secret));
      if (num === null) return false;
      await outside.put(wireId(sensorId), secret);
      await markProvisioned(tx, num);
      return true;
    }),
  ).catch((error: unknown) => {
    ctx.log.warn({ err: error, sensorId }, "the outside broker did not accept an enrolled device");
    return false;
  });
  if (isDone) return;
  const options = { status: 503, headers: { "retry-after": String(retryAfterS) } };
  throw new AppError(errorCode.databaseError, undefined, options);
}
