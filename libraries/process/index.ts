export { AccessLines, type AccessLogMode } from "./access-lines.ts";
export { type AddressLimit, countConnections } from "./address-connections.ts";
export {
  divideConnections,
  readConnectionLimits,
  requireConnections,
} from "./connection-budget.ts";
export { sharedFolder } from "./embedded/location.ts";
export { type Database, type DataDir, openDatabase } from "./embedded/open-database.ts";
export {
  type EncryptionKeySource,
  encryptionKeysSetting,
  findEncryptionKeys,
  type KeyPurpose,
  openEncryptionKeys,
} from "./encryption/encryption-keys.ts";
export {
  type EncryptionKey,
  encryptionKeyOf,
  type Sealed,
  seal,
  UnsealError,
  unseal,
} from "./encryption/sealed.ts";
export { errorText } from "./error-text.ts";
export { createHealthHandler, type HealthHandler, type HealthOptions } from "./health.ts";
export { HttpServer } from "./http-server.ts";
export { findPort, listenHttp, reachableUrl } from "./listening.ts";
export { createLogger, type Logger } from "./logger.ts";
export { type Metrics, type MetricsOptions, openMetrics } from "./metrics/open-metrics.ts";
export type { PoolMetrics, PoolState } from "./metrics/pool-metrics.ts";
export { watchRefusedConnections } from "./metrics/refused-connections.ts";
export { type MigrateOptions, migrate } from "./migrations/migrate.ts";
export { DatabaseTooNewError, MigrationError } from "./migrations/migrations.ts";
export { addressLimitKey, inNetworks, plainAddress } from "./networks.ts";
export { observeAnswer } from "./observe-answer.ts";
export {
  inTransaction,
  isDatabaseUnavailable,
  isQueryCancelled,
  openPool,
  type PoolOptions,
} from "./pool.ts";
export { printable } from "./printable.ts";
export { commandPath, exitOnWrongUsage, type ProgramContext, runProgram } from "./program.ts";
export { pruneRegularly, repeat } from "./prune-regularly.ts";
export { requestIdHeader, requestIdOf } from "./request-id.ts";
export { runService } from "./run-service.ts";
export { serverKey } from "./server-keys.ts";
export { readServiceCommand } from "./service-program.ts";
export { rows } from "./setting-rows.ts";
export {
  describeSettings,
  readSettings,
  type Setting,
  SettingsError,
  type SettingsOf,
  type SettingsTable,
  setting,
} from "./settings.ts";
export { untilDrained } from "./stop-signal.ts";
export { tableText } from "./table.ts";
export { untilAborted } from "./until-aborted.ts";
export { isLowerCaseUuid, isUuid, uuidPattern } from "./uuid.ts";
export { isWorker, reportReady } from "./worker-process.ts";
