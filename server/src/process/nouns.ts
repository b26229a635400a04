// All nouns of the server in one list, used by the HTTP application, the live hub, the jobs, housekeeping and the gateway. A new noun
// is a folder and an entry here.
import type { FastifyInstance } from "fastify";
import { accessRoutes } from "../access/access.routes.ts";
import { accountLiveSource } from "../account/account.live.ts";
import { accountRoutes } from "../account/account.routes.ts";
import { personalDataJob } from "../account/personal-data/personal-data.job.ts";
import { auditRoutes } from "../audit/audit.routes.ts";
import type { CallAudit } from "../audit/trace.hook.ts";
import { type AuthGuard, authRoutes } from "../auth/auth.routes.ts";
import { createPasswordCheck } from "../auth/auth.guard.ts";
import { deleteOldWrongCodes } from "../claim/budget.service.ts";
import { claimRoutes } from "../claim/claim.routes.ts";
import type { Context } from "../context.ts";
import { counting } from "../count/count.capability.ts";
import { futureRecordsJob } from "../count/record/ahead.job.ts";
import { openSumsJob } from "../count/open-sums/open-sums.job.ts";
import { packingJob } from "../count/packing.job.ts";
import { partitionJob } from "../count/partition/partition.job.ts";
import { ownSessionRoutes } from "../credential/own-session.routes.ts";
import { customerRoutes } from "../customer/customer.routes.ts";
import { customerTotalsJob } from "../customer/totals.job.ts";
import { deleteEndedSessions } from "../credential/session.service.ts";
import { countsRoutes } from "../counts/counts.routes.ts";
import { countsFileRoutes } from "../counts/file/file.routes.ts";
import { datapointRoutes } from "../datapoint/datapoint.routes.ts";
import { deleteIdempotencyKeys } from "../db/write.ts";
import { demoRoutes } from "../demo/demo.routes.ts";
import type { Capability } from "../device/capability.ts";
import { brokerAuthRoutes } from "../device/credential/broker-auth.ts";
import { enrollmentRoutes } from "../device/credential/enrol.ts";
import { eventLiveSource } from "../event/event.noun.ts";
import { eventRoutes } from "../event/event.routes.ts";
import { feed } from "../feed/feed.capability.ts";
import { feedRoutes } from "../feed/feed.routes.ts";
import { forgetOldLoads } from "../feed/feed.service.ts";
import { firmwareLiveSource, firmwareNoun } from "../firmware/firmware.noun.ts";
import { geocodeRoutes } from "../geocode/geocode.routes.ts";
import { deleteDeadLetters } from "../device/record/dead-letter.store.ts";
import { firmwareDeviceRoutes, firmwareRoutes } from "../firmware/firmware.routes.ts";
import { packageSweepJob } from "../firmware/package/package.job.ts";
import type { Binder } from "../http/bind.ts";
import type { FindCursor } from "../http/console.ts";
import type { HeavyReads } from "../http/heavy-reads.ts";
import { initTokenLiveSource } from "../init-token/init-token.noun.ts";
import { initTokenRoutes } from "../init-token/init-token.routes.ts";
import { announcementsJob } from "../jobs/announcements.job.ts";
import { type HousekeepingTask, housekeepingJob } from "../jobs/scheduler.ts";
import type { Job } from "../kit/job.ts";
import { daysAgo } from "../kit/clock.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { LiveSource } from "../live/hub.ts";
import { getOwned } from "../owned/change.ts";
import { locationLiveSource, locations } from "../location/location.noun.ts";
import { locationRoutes } from "../location/location.routes.ts";
import { deleteOldAlertRecipients } from "../monitoring/alert/alert.store.ts";
import { invitationRoutes } from "../invitation/invitation.routes.ts";
import { issueLiveSource } from "../monitoring/issue/issue.live.ts";
import { issueRoutes } from "../monitoring/issue/issue.routes.ts";
import { monitoringJob } from "../monitoring/monitoring.job.ts";
import { mailJob } from "../mail/mailer.ts";
import { deleteOldAttachments, deleteOldMails } from "../mail/mail.store.ts";
import type { DisplayGuard } from "../occupancy/display/display.guard.ts";
import { deleteOldDisplayData } from "../occupancy/display/display.service.ts";
import { occupancy } from "../occupancy/occupancy.capability.ts";
import { occupancyRoutes } from "../occupancy/occupancy.routes.ts";
import { registrationRoutes } from "../registration/registration.routes.ts";
import { deliveryJob, reportJob } from "../report/report.job.ts";
import { replacementRoutes } from "../replacement/replacement.routes.ts";
import { deleteOldReplacements } from "../replacement/replacement.service.ts";
import { reportLiveSource } from "../report/report.noun.ts";
import { openingRoutes } from "../opening/opening.routes.ts";
import { oneClickRoutes, reportRoutes } from "../report/report.routes.ts";
import { remoteAccessJob } from "../remote-access/remote-access.job.ts";
import { type RemoteAccessParts, remoteAccessRoutes } from "../remote-access/remote-access.routes.ts";
import { deleteOldRemoteSessions } from "../remote-access/remote-access.service.ts";
import { roleLiveSource, roles } from "../role/role.noun.ts";
import { roleRoutes } from "../role/role.routes.ts";
import { firmwareUpdates } from "../rollout/firmware.capability.ts";
import { reminderJob, rolloutJob } from "../rollout/rollout.job.ts";
import { rolloutRoutes } from "../rollout/rollout.routes.ts";
import { abandonedSensorsJob } from "../sensor/change/abandoned.job.ts";
import { sensorBatchJob } from "../sensor/batch/batch.job.ts";
import { sensorLiveSource, sensors } from "../sensor/sensor.noun.ts";
import { salesRoutes } from "../sales/sales.routes.ts";
import { deleteOldConfirmations } from "../section/confirmation.service.ts";
import { type SectionDependencies, sectionRoutes } from "../section/section.routes.ts";
import type { RemoteDependencies } from "../sensor/sensor.remote.service.ts";
import { sensorRoutes } from "../sensor/sensor.routes.ts";
import { sensorStatsJob } from "../sensor/sensor.stats.job.ts";
import { uploadTestRoutes } from "../sensor/upload-test.routes.ts";
import { setUpRoutes } from "../set-up/set-up.routes.ts";
import { vehicleRoutes } from "../vehicle/vehicle.routes.ts";
import { vpn } from "../vpn/vpn.capability.ts";
import { vpnExpiryJob } from "../vpn/vpn.job.ts";

export type NounDependencies = RemoteDependencies &
  RemoteAccessParts &
  SectionDependencies & {
    auth: AuthGuard;
    display: DisplayGuard;
    callAudit: CallAudit;
    heavy: HeavyReads;
    cursorFor: FindCursor;
    mqttPort: () => number | null;
  };

export type Noun = {
  name: string;
  routes?: (bind: Binder, ctx: Context, parts: NounDependencies) => void;
  deviceRoutes?: (app: FastifyInstance, ctx: Context, parts: NounDependencies) => void;
  live?: { type: EntityChanged["type"]; source: (ctx: Context) => LiveSource };
  jobs?: ((ctx: Context) => Job)[];
  housekeeping?: HousekeepingTask;
};

/** In the order in which the test clock runs their jobs; mails come last, so that they include everything. */
export const nouns: readonly Noun[] = [
  { name: "auth", routes: (bind, ctx, { auth, cursorFor }) => authRoutes(bind, ctx, auth, cursorFor) },
  { name: "session", routes: ownSessionRoutes, housekeeping: deleteEndedSessions },
  {
    name: "account",
    routes: (bind, ctx) => accountRoutes(bind, ctx, createPasswordCheck(ctx)),
    live: { type: "account", source: accountLiveSource },
    jobs: [personalDataJob],
  },
  { name: "opening", routes: openingRoutes },
  { name: "registration", routes: registrationRoutes },
  { name: "invitation", routes: invitationRoutes },
  { name: "role", routes: roleRoutes, live: { type: "role", source: roleLiveSource } },
  {
    name: "datapoint",
    routes: (bind, ctx, { heavy }) => datapointRoutes(bind, ctx, heavy),
    jobs: [futureRecordsJob, openSumsJob, packingJob, partitionJob],
  },
  {
    name: "counts",
    routes(bind, ctx, { heavy }) {
      countsRoutes(bind, heavy);
      countsFileRoutes(bind, ctx, heavy);
    },
  },
  {
    name: "report",
    routes: (bind, ctx, { heavy }) => reportRoutes(bind, ctx, { heavy }),
    deviceRoutes: oneClickRoutes,
    live: { type: "report", source: reportLiveSource },
    jobs: [reportJob, deliveryJob],
    housekeeping: (ctx) => deleteOldAttachments(ctx.db, daysAgo(ctx, mailsDays)),
  },
  { name: "set-up", routes: setUpRoutes },
  {
    name: "device",
    deviceRoutes(app, ctx, { mqttPort }) {
      enrollmentRoutes(app, ctx, capabilities, mqttPort);
      brokerAuthRoutes(app, ctx);
    },
    housekeeping: (ctx) => deleteDeadLetters(ctx.db, daysAgo(ctx, lettersDays)),
  },
  {
    name: "sensor",
    routes: sensorRoutes,
    deviceRoutes: uploadTestRoutes,
    live: { type: "sensor", source: sensorLiveSource },
    jobs: [sensorBatchJob, abandonedSensorsJob, sensorStatsJob],
  },
  {
    name: "remote-access",
    routes: remoteAccessRoutes,
    jobs: [remoteAccessJob],
    housekeeping: deleteOldRemoteSessions,
  },
  { name: "section", routes: sectionRoutes, housekeeping: deleteOldConfirmations },
  { name: "vpn", jobs: [vpnExpiryJob] },
  { name: "feed", routes: feedRoutes, housekeeping: forgetOldLoads },
  { name: "vehicle", routes: vehicleRoutes },
  { name: "claim", routes: claimRoutes, housekeeping: deleteOldWrongCodes },
  { name: "init-token", routes: initTokenRoutes, live: { type: "init-token", source: initTokenLiveSource } },
  { name: "geocode", routes: geocodeRoutes },
  { name: "location", routes: locationRoutes, live: { type: "measurement", source: locationLiveSource } },
  { name: "replacement", routes: replacementRoutes, housekeeping: deleteOldReplacements },
  { name: "event", routes: eventRoutes, live: { type: "event", source: eventLiveSource } },
  { name: "sales", routes: salesRoutes },
  {
    name: "monitoring",
    routes: issueRoutes,
    live: { type: "issue", source: issueLiveSource },
    jobs: [monitoringJob],
    housekeeping: (ctx) => deleteOldAlertRecipients(ctx.db, daysAgo(ctx, mailsDays)),
  },
  {
    name: "occupancy",
    routes: (bind, ctx, { display, callAudit }) => occupancyRoutes(bind, ctx, display, callAudit.refusedLogin),
    housekeeping: deleteOldDisplayData,
  },
  { name: "customer", routes: customerRoutes, jobs: [customerTotalsJob] },
  { name: "rollout", routes: rolloutRoutes, jobs: [rolloutJob, reminderJob] },
  {
    name: "firmware",
    routes: firmwareRoutes,
    deviceRoutes: firmwareDeviceRoutes,
    live: { type: "artifact", source: firmwareLiveSource },
    jobs: [packageSweepJob],
  },
  {
    name: "access",
    routes: (bind, ctx) =>
      accessRoutes(bind, ctx, {
        sensor: (caller, id) => getOwned(ctx, sensors, caller, id),
        measurement: (caller, id) => getOwned(ctx, locations, caller, id),
        artifact: (caller, id) => getOwned(ctx, firmwareNoun, caller, id),
        role: (caller, id) => getOwned(ctx, roles, caller, id),
      }),
  },
  { name: "demo", routes: demoRoutes },
  { name: "audit", routes: (bind, ctx, { callAudit, heavy }) => auditRoutes(bind, ctx, callAudit, heavy) },
  { name: "idempotency key", housekeeping: (ctx) => deleteIdempotencyKeys(ctx.db, daysAgo(ctx, keysDays)) },
  { name: "mail", jobs: [mailJob], housekeeping: (ctx) => deleteOldMails(ctx.db, daysAgo(ctx, mailsDays)) },
];

/** Lifetime of an idempotency key (docs/rules/api.md#idempotency). */
const keysDays = 1;
/** Retention of dead letters (docs/rules/start-and-configuration.md#retention). */
const lettersDays = 30;
const mailsDays = 30;

/** Device capabilities, in the order in which they are called. */
export const capabilities: readonly Capability[] = [counting, firmwareUpdates, occupancy, vpn, feed];

export function createAllJobs(ctx: Context): Job[] {
  const clean = nouns.flatMap(({ housekeeping }) => housekeeping ?? []);
  return [
    housekeepingJob(ctx, clean),
    announcementsJob(ctx),
    ...nouns.flatMap(({ jobs = [] }) => jobs.map((job) => job(ctx))),
  ];
}
