// Tests which failures of a mail end the mails to its recipient.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailJob } from "../../mail/mailer.ts";
import { createReportScene, type ReportScene } from "../../testing/scenes/report-scene.ts";
import type { Person } from "../../testing/world.ts";
import { deliveryJob } from "../report.job.ts";

let scene: ReportScene;
let customer: Person;

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  customer = await scene.world.account("Harbour Stores", scene.world.root, fullPermissions);
  await scene.location(customer, "Harbour Shop", "Berlin");
});
afterAll(() => scene.stop());

async function made(): Promise<string> {
  const schedule = { every: "day", at: "07:00", zone: "Europe/Berlin" };
  const about = { name: "Numbers", owner: customer.id, range: "yesterday", formats: [], schedule };
  const body = { ...about, recipients: [customer.email] };
  const reply = await scene.world.call(customer, "POST", "/api/report", { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}

async function statusOf(id: string): Promise<unknown> {
  await deliveryJob(scene.world.ctx).run();
  return (await scene.world.call(customer, "GET", `/api/report/${id}`)).at("recipients.0.status");
}

test("a mail that the server refuses because of its content is given up, but its recipient is not", async () => {
  const id = await made();
  scene.mailbox.refuseContent(true);
  await scene.pass("2027-03-06T06:00:00Z", customer);
  scene.mailbox.refuseContent(false);
  expect(await statusOf(id)).toBe("confirmed");
  const runs = await scene.world.call(customer, "GET", `/api/report/${id}/runs`);
  expect(runs.at("objects.0.deliveries.0")).toMatchObject({
    state: "refused",
    reason: expect.stringContaining("too big"),
  });
  await scene.world.call(customer, "DELETE", `/api/report/${id}`);
});

test("a mail waits while the mail server refuses the login of the product", async () => {
  const { ctx } = scene.world;
  const id = await made();
  scene.mailbox.open(false);
  await scene.pass("2027-03-07T06:00:00Z", customer);
  await ctx.db.updateTable("mail_outbox").set({ not_before: ctx.clock.date() }).where("sent_at", "is", null).execute();
  const url = scene.mailbox.url.replace("//", "//someone:wrong@");
  const job = mailJob({ ...ctx, config: { ...ctx.config, mail: { ...ctx.config.mail, url } } });
  await job.run();
  job.close?.();
  expect(await statusOf(id)).toBe("confirmed");
  const [mail] = await ctx.db
    .selectFrom("mail_outbox")
    .select(["last_error", "attempts", "is_refused"])
    .where("sent_at", "is", null)
    .where("subject", "like", "Numbers 6 Mar%")
    .execute();
  expect(mail).toMatchObject({ last_error: expect.stringContaining("invalid login"), attempts: 2, is_refused: false });
  scene.mailbox.open(true);
  await scene.pass("2027-03-07T06:10:00Z", customer);
  expect((await scene.mailbox.take()).map(({ subject }) => subject)).toContain("Numbers 6 Mar 2027");
});
