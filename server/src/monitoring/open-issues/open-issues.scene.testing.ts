// A customer with a support account below it, a stranger, and sensors whose lens can be covered.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { ListedIssue } from "@psp/contract/monitoring/issue.ts";
import { expect } from "vitest";
import { configWith, createMonitoringScene } from "../../testing/scenes/monitoring-scene.ts";
import type { JsonObject, Person } from "../../testing/world.ts";

const startMs = Date.parse("2027-03-01T11:00:00.000Z");
const near = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
/** May view the sensors of the parent account, but edit nothing. */
export const readsParent: Permissions = { ownable: { sensor: near, measurement: near } };

export async function createIssueScene() {
  const scene = await createMonitoringScene();
  const { world, must } = scene;
  await scene.pass(startMs);
  let now = startMs;
  let unit = 0;
  const people = new Set<Person>();
  const account = async (name: string, parent: Person, permissions: Permissions | null = fullPermissions) => {
    const person = await world.account(name, parent, permissions);
    people.add(person);
    return person;
  };
  return {
    ...scene,
    account,
    /** For people whose login a test deletes. */
    forget: (who: Person) => people.delete(who),
    now: () => now,
    async later(ms: number) {
      now += ms;
      await scene.pass(now, ...people);
    },
    loginOf: async (who: Person) =>
      (
        await world.ctx.db
          .selectFrom("credential")
          .select("id")
          .where("account_id", "=", who.id)
          .executeTakeFirstOrThrow()
      ).id,
    /** A sensor without an issue. */
    async place(owner: Person, tags: string[] = []) {
      const location = await scene.location(owner, `Shop ${(unit += 1)}`, configWith());
      if (tags.length > 0) await must(owner, "PUT", `/api/measurement/${location}`, { body: { tags } });
      const id = toMac(0x0200_0000_0a00 + unit);
      await scene.sensor(owner, id, location);
      return { id, location };
    },
    async cover(id: string, to: 0 | 1 = 1) {
      await scene.deliver(id, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 1 - to, to }]);
    },
    async open(who: Person, query = "") {
      const { body } = await must(who, "GET", `/api/v2/issue?open=true&includeTotals=true&${query}`);
      const page = body as { objects: ListedIssue[]; total: number; changesAt: string | null };
      expect(page.objects.length).toBe(Math.min(page.total, 50));
      return page;
    },
    async sensors(who: Person, query = ""): Promise<string[]> {
      return (await this.open(who, query)).objects.map(({ sens }) => sens);
    },
    change: (who: Person, target: JsonObject, changes: JsonObject) =>
      world.call(who, "PUT", "/api/v2/issue", { body: { ...target, changes } }),
    count: async (who: Person) => (await must(who, "GET", "/api/v2/issue/count")).body,
  };
}
export type IssueScene = Awaited<ReturnType<typeof createIssueScene>>;
