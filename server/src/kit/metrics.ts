// Metrics for Prometheus. Labels are bounded: no ids, no addresses.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: "psp_http_request_seconds",
      help: "Time to answer a call",
      labelNames: ["call", "status"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    liveSockets: new Gauge({ name: "psp_live_sockets", help: "Open live sockets", registers }),
    liveSent: new Counter({ name: "psp_live_messages_total", help: "Live messages sent", registers }),
    liveDropped: new Counter({
      name: "psp_live_slow_readers_total",
      help: "Live sockets closed as too slow",
      registers,
    }),
    devices: new Gauge({ name: "psp_devices_connected", help: "Sensors connected to this gateway", registers }),
    tunnels: new Gauge({ name: "psp_tunnels", help: "Tunnels of sensors that end in this process", registers }),
    deviceWaiting: new Gauge({
      name: "psp_device_waiting_bytes",
      help: "Bytes of device messages taken and not yet acknowledged",
      registers,
    }),
    deviceMessages: new Counter({
      name: "psp_device_messages_total",
      help: "Messages from sensors by kind and outcome",
      labelNames: ["kind", "outcome"],
      registers,
    }),
    records: new Counter({
      name: "psp_device_records_total",
      help: "Records from sensors by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    ingestSeconds: new Histogram({
      name: "psp_ingest_commit_seconds",
      help: "Time to commit one batch of device records",
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    logins: new Counter({ name: "psp_logins_total", help: "Sign-ins by outcome", labelNames: ["outcome"], registers }),
    passwordsCompared: new Counter({
      name: "psp_passwords_compared_total",
      help: "Passwords that were compared with a stored one",
      registers,
    }),
    tracesLost: new Counter({
      name: "psp_traces_lost_total",
      help: "Refusals and exports that were not written into the audit trail, because too many were waiting",
      registers,
    }),
    mails: new Counter({ name: "psp_mails_total", help: "Mails by outcome", labelNames: ["outcome"], registers }),
    jobs: new Counter({
      name: "psp_jobs_total",
      help: "Jobs by name and outcome",
      labelNames: ["job", "outcome"],
      registers,
    }),
  };
}
