// Connects to the database of a product, to plant data and to read what it stored.
import pg from "pg";

/** Opens a new connection each time, because campaigns restart the database. */
export async function withDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A killed database must not end the campaign.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
