// Metrics for Prometheus. Labels are bounded: no ids, no addresses.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type WalArchiveState, walArchiveState } from "./backup/archive-state.ts";

export type Metrics = ReturnType<typeof createMetrics>;

const delayBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

let ofProcess: Registry | null = null;

/** One registry per process, because its timer and its observer run until the process ends. */
function processMetrics(): Registry {
  if (ofProcess === null) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
    addBackupGauges(ofProcess);
  }
  return ofProcess;
}

/** They have no value unless BACKUP_DIR is set. */
function addBackupGauges(registry: Registry): void {
  const gauge = (name: string, help: string, valueOf: (state: WalArchiveState) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        const state = walArchiveState.get();
        const value = state && valueOf(state);
        if (value !== null) this.set(value);
        else this.remove();
      },
    });
  const secondsSince = (time: number) => (Date.now() - time) / 1000;
  gauge("psp_backup_lag_seconds", "Age of the newest moment that can be restored", ({ coveredAt }) =>
    secondsSince(coveredAt),
  );
  gauge("psp_backup_base_age_seconds", "Age of the newest base backup", ({ baseAt }) => baseAt && secondsSince(baseAt));
  gauge(
    "psp_backup_failures",
    "Failed attempts to archive the database's log since the start",
    (state) => state.failures,
  );
}

function createMakers(registry: Registry) {
  const registers = [registry];
  return {
    gauge: (name: string, help: string) => new Gauge({ name, help, registers }),
    labelledGauge: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Gauge<L>({ name, help, labelNames, registers }),
    histogram: <L extends string = never>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
      new Histogram<L>({ name, help, buckets, labelNames, registers }),
    counter: <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
      new Counter<L>({ name, help, labelNames, registers }),
  };
}

function createDatabaseMetrics({ counter, histogram }: ReturnType<typeof createMakers>) {
  return {
    announcementsRead: counter("psp_announcements_read_total", "Announcements read from the database"),
    announcementsGaps: counter(
      "psp_announcement_gaps_total",
      "Announcements could not be read any more, and everything was loaded again",
    ),
    announcementSeconds: histogram(
      "psp_announcement_read_seconds",
      "Time to read announcements and to pass them on",
      [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    ),
    replicaReads: counter(
      "psp_replica_reads_total",
      "Statements and transactions that a replica may answer, by who did; reason: why the primary did",
      "answered_by",
      "reason",
    ),
    replicaWait: histogram(
      "psp_replica_wait_seconds",
      "Time until the replica had everything that a read must see",
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
    ),
  };
}

export function createMetrics() {
  const registry = Registry.merge([processMetrics()]);
  const makers = createMakers(registry);
  const { gauge, labelledGauge, histogram, counter } = makers;
  return {
    registry,
    requests: histogram(
      "psp_http_request_seconds",
      "Time to answer a call",
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      "call",
      "status",
    ),
    process: labelledGauge(
      "psp_process_info",
      "1; name, version and parts of the process",
      "process",
      "version",
      "parts",
    ),
    ...createDatabaseMetrics(makers),
    messagesLost: counter(
      "psp_bus_messages_lost_total",
      "Messages to other processes that were not sent, by reason",
      "reason",
    ),
    busDisconnects: counter(
      "psp_bus_disconnects_total",
      "Interruptions of the connection that carries messages between processes",
    ),
    brokerConnected: labelledGauge(
      "psp_broker_connected",
      "1 while all connections of the gateway to an external MQTT broker are up",
      "broker",
    ),
    liveSockets: gauge("psp_live_sockets", "Open live sockets"),
    liveSent: counter("psp_live_messages_total", "Live messages sent"),
    liveDropped: counter("psp_live_slow_readers_total", "Live sockets closed as too slow"),
    liveSeconds: histogram(
      "psp_live_delay_seconds",
      "Time from the notice of a commit until its live messages were given to the sockets",
      delayBuckets,
      "kind",
    ),
    devices: gauge("psp_devices_connected", "Sensors connected to the embedded broker of this gateway"),
    tunnels: gauge("psp_tunnels", "Tunnels of sensors that end in this process"),
    deviceWaiting: gauge("psp_device_waiting_bytes", "Bytes of device messages taken and not yet acknowledged"),
    deviceMessages: counter(
      "psp_device_messages_total",
      "Messages from sensors by kind and outcome",
      "kind",
      "outcome",
    ),
    records: counter("psp_device_records_total", "Records from sensors by outcome", "outcome"),
    ingestSeconds: histogram(
      "psp_ingest_commit_seconds",
      "Time to commit one batch of device records",
      [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    ),
    acknowledgedSeconds: histogram(
      "psp_ingest_acknowledged_seconds",
      "Time from the arrival of a message of a sensor to its acknowledgement",
      delayBuckets,
      "kind",
    ),
    logins: counter("psp_logins_total", "Sign-ins by outcome", "outcome"),
    passwordsCompared: counter("psp_passwords_compared_total", "Passwords that were compared with a stored one"),
    hashes: counter("psp_password_hashes_total", "Derivations of a key from a password"),
    boxes: counter("psp_sealed_boxes_total", "Sealed boxes of display links that were opened, or tried to"),
    compressed: counter("psp_compressed_bytes_total", "Bytes of responses given to a compressor"),
    tracesLost: counter(
      "psp_traces_lost_total",
      "Refusals and exports that were not written into the audit trail, because too many were waiting",
    ),
    mails: counter("psp_mails_total", "Mails by outcome", "outcome"),
    jobs: counter("psp_jobs_total", "Jobs by name and outcome", "job", "outcome"),
    jobSuccess: labelledGauge(
      "psp_job_last_success_timestamp_seconds",
      "When this process last completed a job",
      "name",
    ),
    jobInterval: labelledGauge("psp_job_interval_seconds", "Planned time between two runs of a job", "name"),
  };
}
