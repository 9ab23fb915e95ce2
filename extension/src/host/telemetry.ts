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
      sendEventData: (name, data) => log.info(`telemetry ${name} ${JSON.stringify(data)}`),
      sendErrorData: (err) => log.info(`telemetry error ${err.name}`),
    });
  }

  send(event: TelemetryEventParams): void {
    // The logger goes by the level that VS Code has sent it, which can be one change behind the setting.
    const level = vscode.workspace.getConfiguration("telemetry").get<string>("telemetryLevel");
    if (level !== undefined && level !== "all") return;
    this.#logger.logUsage(event.name, { ...event.numbers, ...event.labels });
  }

  dispose(): void {
    this.#logger.dispose();
  }
}
