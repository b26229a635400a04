// Creates claimable sensors: enrolls them with an init token, then lets their owner make them claimable.
import { toMac } from "@psp/contract/kit/mac.ts";
import type { JsonObject, Person, Reply, World } from "../world.ts";

export type Label = { id: string; type: string; claimingCode: string };

let made = 0;

export function newSensorId(): string {
  made += 1;
  return toMac(0x020c_1a1a_0000 + made);
}

/** Enrolls a sensor for `owner` and returns its label; `open` makes it claimable. */
export async function enrollLabelled(world: World, owner: Person, open = true, id = newSensorId()): Promise<Label> {
  const token = await world.call(owner, "POST", "/api/init_token", { body: { name: "labels", owner: owner.id } });
  const enrolled = await world.call(null, "POST", "/device/v1/enrol", {
    body: { token: token.at("token"), id, type: "APS", nonce: "n", time: world.ctx.clock.now() },
  });
  if (enrolled.status !== 201) throw new Error(`Enrollment: ${enrolled.status} ${JSON.stringify(enrolled.body)}`);
  if (open) await makeClaimable(world, owner, id);
  return { id, type: "APS", claimingCode: String(enrolled.at("claimingCode")) };
}

export async function makeClaimable(world: World, owner: Person, id: string): Promise<string> {
  const reply = await world.call(owner, "PUT", `/api/sensor/${id}`, { body: { claimable: true } });
  if (reply.status !== 200) throw new Error(`Opening: ${reply.status} ${JSON.stringify(reply.body)}`);
  return String(reply.at("claimingCode"));
}

export function lookUpClaim(world: World, who: Person | null, code: string): Promise<Reply> {
  return world.call(who, "GET", `/api/claim/${encodeURIComponent(code)}`);
}

export function claim(world: World, who: Person | null, sensors: readonly JsonObject[], headers = {}): Promise<Reply> {
  return world.call(who, "POST", "/api/claim/", { body: { sensors }, headers });
}
