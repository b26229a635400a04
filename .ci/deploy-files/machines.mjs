// Checks the systemd unit and the HAProxy configuration with this project's own rules, and with the programs that read them where
// they are installed.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/** Only directives that are in use, so that a typo is reported. */
const UNIT = {
  Unit: ["Description", "Documentation", "Wants", "After"],
  Service: [
    ..."Type User Group WorkingDirectory EnvironmentFile Environment ExecStart Restart RestartSec TimeoutStopSec LimitNOFILE".split(
      " ",
    ),
    ..."ReadWritePaths StateDirectory StateDirectoryMode UMask AmbientCapabilities CapabilityBoundingSet LockPersonality NoNewPrivileges".split(
      " ",
    ),
    ..."PrivateDevices PrivateTmp ProtectClock ProtectControlGroups ProtectHome ProtectHostname ProtectKernelLogs".split(
      " ",
    ),
    ..."ProtectKernelModules ProtectKernelTunables ProtectProc ProtectSystem RemoveIPC RestrictAddressFamilies".split(
      " ",
    ),
    ..."RestrictNamespaces RestrictRealtime RestrictSUIDSGID SystemCallArchitectures SystemCallFilter SystemCallErrorNumber".split(
      " ",
    ),
  ],
  Install: ["WantedBy"],
};
/** A process drains for 5 s, and is aborted 9 s later. */
const MIN_STOP_S = 15;

export function unitFaults(text, { file, root }) {
  const faults = [];
  const service = new Map();
  let section = "";
  for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name !== undefined) section = name;
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name === undefined && !UNIT[section]?.includes(key)) faults.push(`has an unknown line: ${line}`);
    if (section === "Service" && key !== undefined) service.set(key, value);
  }
  if (/^(|root|0)$/.test(service.get("User") ?? "")) faults.push("runs as root");
  if (!service.has("EnvironmentFile")) faults.push("reads no EnvironmentFile");
  if (/PASSWORD|SECRET|TOKEN|_KEY/.test(text)) faults.push("holds a secret");
  for (const key of ["LimitNOFILE", "NoNewPrivileges", "ProtectSystem", "CapabilityBoundingSet"])
    if (!service.has(key)) faults.push(`does not set ${key}`);
  if (!(Number(service.get("TimeoutStopSec")) >= MIN_STOP_S)) faults.push(`leaves less than ${MIN_STOP_S} s to stop`);
  const [, script = ""] = (service.get("ExecStart") ?? "").split(" ");
  if (!existsSync(path.join(root, script))) faults.push(`starts ${script}, which is not there`);
  return [...faults, ...programFaults("systemd-analyze", ["verify", path.join(root, file)])];
}

const BACKENDS = {
  processes: { check: "/health/ready", server: /:8080$/ },
  gateways: { check: "/health/ready", server: /:1883 port 8080$/ },
  leader: { check: "/primary", server: /:5432 port 8008$/ },
  replicas: { check: "/replica?lag=16MB", server: /:5432 port 8008$/ },
};

export function proxyFaults(text, { file, root }) {
  const faults = [];
  const sections = text
    .replaceAll(/^\s*#.*\n/gm, "")
    .split(/^(?=\S)/m)
    .map((part) => ({
      title: part.split("\n")[0],
      lines: part
        .split("\n")
        .slice(1)
        .map((line) => line.trim()),
    }));
  const names = sections.map(({ title }) => title);
  for (const { title, lines } of sections) {
    for (const line of lines.filter((one) => one.startsWith("default_backend ")))
      if (!names.includes(line.replace("default_", "")))
        faults.push(`${title} leads to a ${line.slice(8)} that is not there`);
    if (!title.startsWith("backend ")) continue;
    const { check, server } = BACKENDS[title.slice("backend ".length)] ?? {};
    if (!lines.includes(`http-check send meth GET uri ${check}`)) faults.push(`${title} does not check ${check}`);
    const servers = lines.filter((line) => line.startsWith("server "));
    if (servers.length < 2) faults.push(`${title} has no two servers`);
    for (const line of servers) if (!server?.test(line)) faults.push(`${title} has another port: ${line}`);
  }
  // The certificate is the operator's.
  return [
    ...faults,
    ...programFaults("haproxy", ["-c", "-f", path.join(root, file)], /unable to stat SSL certificate/),
  ];
}

/** Errors of a program, or none where it is not installed. */
export function programFaults(program, args, tolerated = /^$/) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (error !== undefined || status === 0 || tolerated.test(stderr)) return [];
  return [`${program}: ${stderr || stdout}`];
}
