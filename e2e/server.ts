// The product that the journeys of one worker share: the demo world with a small fleet, short pages, and one sibling application.

import { type Product, startProduct } from "./product.ts";

/**
 * One for each worker, so that journeys run side by side. They find its device gateway by `E2E_MQTT_PORT`, its files
 * (mails among them) by `E2E_DATA_DIR`, and all that it printed in `E2E_PRINTED`. What it says goes to
 * `.cache/e2e-server-<worker>.log`.
 */
export async function startJourneyProduct(worker: number, more: Record<string, string>): Promise<Product> {
  const product = await startProduct(`e2e-server-${worker}`, {
    DEMO: "on",
    DEMO_SENSORS: "24",
    // No journey looks at it, and pages would change while it is made.
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
