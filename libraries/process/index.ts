export { type ConnectionLimits, readConnectionLimits } from "./database/connection-limits.ts";
export { sharedFolder } from "./database/embedded/location.ts";
export { type Database, type DataDir, openDatabase } from "./database/embedded/open-database.ts";
export { type MigrateOptions, migrate } from "./database/migrations/migrate.ts";
export { MigrationError } from "./database/migrations/migrations.ts";
export {
  inTransaction,
  isDatabaseUnavailable,
  isQueryCancelled,
  openPool,
  type PoolOptions,
} from "./database/pool.ts";
export { requireWritable } from "./database/require-writable.ts";
export { serverKey } from "./database/server-keys.ts";
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
export { errorText, MultilineError } from "./error-text.ts";
export { AccessLines, type AccessLogMode } from "./http/access-lines.ts";
export { type AddressLimit, countConnections } from "./http/address-connections.ts";
export { createHealthHandler, type HealthHandler, type HealthOptions } from "./http/health.ts";
export { HttpServer } from "./http/http-server.ts";
export { addressText, listenHttp, reachableUrl } from "./http/listening.ts";
export { addressLimitKey, inNetworks, plainAddress } from "./http/networks.ts";
export { observeAnswer } from "./http/observe-answer.ts";
export { requestIdHeader, requestIdOf } from "./http/request-id.ts";
export { createLogger, type Logger } from "./logger.ts";
export { type Metrics, type MetricsOptions, openMetrics } from "./metrics/open-metrics.ts";
export type { PoolMetrics, PoolState } from "./metrics/pool-metrics.ts";
export { watchRefusedConnections } from "./metrics/refused-connections.ts";
export { OutageLines } from "./outage-lines.ts";
export { printable, printText } from "./printable.ts";
export { exitOnWrongUsage, type ProgramContext, runProgram } from "./program/program.ts";
export { runService } from "./program/run-service.ts";
export { readServiceCommand } from "./program/service-program.ts";
export { addExamples, commandPath } from "./program/usage.ts";
export { pruneRegularly } from "./prune-regularly.ts";
export { repeat } from "./repeat.ts";
export { issuerSetting } from "./settings/issuer.ts";
export { readCommandSettings } from "./settings/misspelled-names.ts";
export { rows } from "./settings/setting-rows.ts";
export {
  describeSettings,
  readSettings,
  readTogether,
  type Setting,
  SettingsError,
  type SettingsOf,
  type SettingsTable,
  setting,
} from "./settings/settings.ts";
export { tableText } from "./table.ts";
export { untilAborted } from "./until-aborted.ts";
export { isLowerCaseUuid, isUuid, uuidPattern } from "./uuid.ts";
export { logStop, untilDrained } from "./workers/stop-signal.ts";
export { isWorker, reportReady } from "./workers/worker-process.ts";
