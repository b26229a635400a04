// Campaigns that the rings of tests run.

/** Campaigns in `npm test` and their arguments. `WHOLE_CAMPAIGNS` run in `npm run prove`. */
export const CAMPAIGNS = [
  ["crash", "--kills 3"],
  ["processes", "--kills 3 --devices 3 --database 3 --seed 33"],
  ["rollout", "--sensors 50 --kills 1 --device-kills 0"],
  ["alerts", "--sensors 50 --kills 2"],
];

/** A campaign whose programs are not installed ends with code 2, and is left out. */
export const WHOLE_CAMPAIGNS = [
  ["crash", "--kills 40"],
  ["processes", "--kills 100"],
  ["processes", "--kills 50 --processes 3 --database 0"],
  ["processes", "--kills 6 --database 1 --negative"],
  ["rollout", "--sensors 400 --kills 4 --device-kills 1"],
  ["alerts", "--sensors 200 --kills 20"],
  ["batch", "--kills 3 --sensors 10000"],
  ["reports", "--reports 10000 --kills 10"],
  ["failover", "--faults 40"],
  ["failover", "--faults 20 --broker"],
  ["failover", "--faults 1 --negative"],
  ["upgrade", ""],
  ["idle-sensors", ""],
  ["sizing", ""],
  ["vpn", ""],
  ["restore", "--counts 10000000"],
  ["external-restore", ""],
];
