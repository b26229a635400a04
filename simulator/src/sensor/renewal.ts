// A new password for a sensor whose owner changed: kept beside the old one until it was accepted (device-protocol 8).
import type { Sensor } from "../device/sensor-state.ts";

/** Both passwords refused this often: neither is good any more. */
const maxRefusals = 4;

/** What the next connection is tried with. */
export function passwordToTry({ renewal, password }: Sensor): string | null {
  return renewal?.isTried ? renewal.password : password;
}

/** Keeps the password of an order; true when it should be tried at once. */
export function takeOrder(sensor: Sensor, { id, password }: { id: string; password: string }): boolean {
  // It is in use already: the order is an old one.
  if (password === sensor.password) return false;
  // Sent once more: a broker that did not accept it yet does so once it was informed that we hold it.
  if (sensor.renewal?.id === id) return sensor.renewal.refusals === 0;
  sensor.renewal = { id, password, isTried: false, refusals: 0 };
  sensor.around.keep(sensor);
  return true;
}

/** A connection broke that was good until then: the new password may be the right one by now. */
export function tryNew({ renewal }: Sensor): void {
  if (renewal) renewal.isTried = true;
}

/** The password was refused; true when there is another one to try. */
export function tryOther(sensor: Sensor): boolean {
  const { renewal } = sensor;
  if (renewal && renewal.refusals < maxRefusals) {
    renewal.refusals++;
    renewal.isTried = !renewal.isTried;
    return true;
  }
  if (!sensor.oldPassword) return false;
  [sensor.password, sensor.oldPassword] = [sensor.oldPassword, null];
  return true;
}

/** Connected: the password that was accepted stays, and the one before it is forgotten. */
export function settle(sensor: Sensor): void {
  const { renewal } = sensor;
  if (renewal?.isTried) [sensor.password, sensor.renewal] = [renewal.password, null];
  else if (!sensor.oldPassword) return;
  sensor.oldPassword = null;
  sensor.around.keep(sensor);
}
