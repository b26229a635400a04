// The server that a worker's tests share, with demo data, a small fleet, short pages, and links to sibling applications.

import { type TestServer, startTestServer } from "./product.ts";

/**
 * Starts one server per worker. `E2E_MQTT_PORT` is its MQTT port, `E2E_DATA_DIR` its data folder, and `E2E_PRINTED` its output.
 * The log is `.cache/e2e-server-<worker>.log`.
 */
export async function startWorkerServer(worker: number, more: Record<string, string>): Promise<TestServer> {
  const product = await startTestServer(`e2e-server-${worker}`, {
    DEMO: "on",
    DEMO_SENSORS: "24",
    // Past counts aren't needed, and pages would change while they are generated.
    DEMO_HISTORY: "off",
    PAGE_SIZE: "10",
    LOG_LEVEL: "warn",
    TEST_HASHING: "on",
    EXPORT_URL: "https://export.example.com",
    BUILDINGS_URL: "https://buildings.example.com",
    ALLOWED_ORIGINS: "https://export.example.com",
    OPERATOR_NAME: "Zähler & Söhne GmbH",
    OPERATOR_ADDRESS: "Teststraße 7, 10115 Berlin, Germany",
    OPERATOR_REGISTER: "Amtsgericht Charlottenburg (Berlin), HRB 4711",
    OPERATOR_VAT_ID: "DE123456789",
    ...more,
  });
  process.env["E2E_PRINTED"] = product.printed();
  process.env["E2E_MQTT_PORT"] = String(product.mqttPort);
  process.env["E2E_DATA_DIR"] = product.dataDir;
  return product;
}
