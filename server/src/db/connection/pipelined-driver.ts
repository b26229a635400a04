// Sends `begin` together with the first statement of a transaction, which saves a round trip to the database.
import {
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type TransactionSettings,
} from "kysely";

/** Needs connections with `pipeline`, which send a statement without waiting for the answer to the one before. */
export class PipelinedDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }
  override createDriver(): PostgresDriver {
    return new PipelinedDriver(this.#config);
  }
}

class PipelinedDriver extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Promise<void>>();

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const begun = super.beginTransaction(connection, settings);
    // If it fails, the connection is lost or dropped, so that all statements after the first one fail as well.
    begun.catch(() => undefined);
    this.#begun.set(connection, begun);
  }

  /** Throws if `begin` failed. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#begun.get(connection);
    await super.commitTransaction(connection);
  }
}
