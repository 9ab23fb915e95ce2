import * as vscode from "vscode";
import type { TelemetryEventParams } from "../protocol.gen";

/**
 * Takes telemetry/event. VS Code's logger drops what its own telemetry level
 * forbids. There is no service that collects: events go to the log, for the
 * user to see.
 */
export class Telemetry implements vscode.Disposable {
  readonly #logger: vscode.TelemetryLogger;

  constructor(log: vscode.LogOutputChannel) {
    this.#logger = vscode.env.createTelemetryLogger({
      sendEventData: (name, data) => {
        log.info(`telemetry ${name} ${JSON.stringify(data)}`);
      },
      sendErrorData: (err) => {
        log.info(`telemetry error ${err.name}`);
      },
    });
  }

  send(event: TelemetryEventParams): void {
    this.#logger.logUsage(event.name, { ...event.numbers, ...event.labels });
  }

  dispose(): void {
    this.#logger.dispose();
  }
}
