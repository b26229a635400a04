// A monitoring scene with one current customer, this customer's shops, and the mails about their issues.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";
import { configWith, createMonitoringScene } from "./monitoring-scene.ts";
import type { Person } from "../world.ts";

export const minute = 60_000;
export const day = 24 * 60 * minute;

export const mailing = (change: Partial<MonitoringConfig["alert"]["email"]>) =>
  configWith({ alert: { email: { ...configWith().alert.email, ...change } } });

export async function createAlertScene() {
  const scene = await createMonitoringScene();
  const { world, mailbox } = scene;
  let now = Date.parse("2027-03-01T11:00:00.000Z");
  await scene.pass(now);
  let customers = 0;
  let sensors = 0;
  let customer: Person = world.root;
  const pass = async (ms: number) => scene.pass((now += ms), customer);
  return {
    ...scene,
    pass,
    passTo: (text: string) => pass(Date.parse(text) - now),
    async next(): Promise<Person> {
      customer = await world.account(`Harbour Stores ${(customers += 1)}`, world.root, fullPermissions);
      await mailbox.take();
      return customer;
    },
    address: (name: string) => `${name}-${customers}@example.com`,
    async shop(config = configWith(), count = 1, owner = customer) {
      const place = await scene.location(owner, "Harbour Shop", config, [52.52, 13.4]);
      const ids: string[] = [];
      for (let i = 0; i < count; i += 1) {
        const id = toMac(0x0200_0000_0a00 + (sensors += 1));
        await scene.sensor(owner, id, place);
        ids.push(id);
      }
      const [id = "", second = ""] = ids;
      return { place, ids, id, second };
    },
    configure: (place: string, monitoringConfig: MonitoringConfig | null) =>
      scene.must(world.root, "PUT", `/api/measurement/${place}`, { body: { monitoringConfig } }),
    cover: (id: string) => scene.deliver(id, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 0, to: 1 }]),
    uncover: (id: string) => scene.deliver(id, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 1, to: 0 }]),
    lose: (id: string, agoMs = 0) => scene.presence(id, new Date(now - agoMs).toISOString()),
    regain: (id: string) => scene.presence(id, null),
    /** Mails to the current customer and its additional addresses. Omits those to earlier customers, whose shops keep running. */
    async mails() {
      const all = await mailbox.take();
      return all
        .map(({ to, subject = "", text }) => ({ to: to?.[0]?.address ?? "", subject, text: text ?? "" }))
        .filter(({ to }) => to === customer.email || to.includes(`-${customers}@`));
    },
    async record(id: string) {
      const { body } = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}`);
      const [entry] = (body as { objects: { id: string }[] }).objects;
      return (await scene.must(customer, "GET", `/api/v2/issue/${entry?.id}`)).at("mails") as {
        to: string;
        state: string;
        at: string | null;
        reason: string | null;
      }[];
    },
    tokenOf: (mail: { text: string } | undefined) => /\/unsubscribe\?token=(\S+)/.exec(mail?.text ?? "")?.[1] ?? "",
    unsubscribe: (token: string) => scene.must(null, "POST", "/api/report/unsubscribe", { body: { token } }),
  };
}
