import { stat } from "node:fs/promises";
import path from "node:path";
import { runsOnLinux } from "./elf";
import { DaemonError } from "./errors";

/** Options of findBinary. */
export interface BinaryOptions {
  /** `winnow.daemon.path`; empty means the bundled one. */
  setting: string;
  /** The extension's folder. */
  extensionPath: string;
  platform?: NodeJS.Platform;
  arch?: string;
}

/**
 * Returns the path of the daemon: the setting's, else the bundled one.
 *
 * @throws DaemonError with a next step if there is none
 */
export async function findBinary(options: BinaryOptions): Promise<string> {
  const { setting, extensionPath, platform = process.platform, arch = process.arch } = options;
  const name = platform === "win32" ? "winnowd.exe" : "winnowd";
  const file = setting === "" ? path.join(extensionPath, "extension", "bin", name) : setting;
  const next = "Correct the setting winnow.daemon.path, or clear it to use the bundled daemon.";
  if (setting !== "" && !path.isAbsolute(file)) {
    throw new DaemonError(`winnow.daemon.path is "${file}", which is not an absolute path`, { next });
  }
  if (!(await isFile(file))) {
    if (setting !== "") throw new DaemonError(`winnow.daemon.path names ${file}, which is not a file`, { next });
    throw new DaemonError(`This installation of Winnow has no daemon for ${platform}-${arch} (${file} is missing)`, {
      next: "Install the extension for this platform, or build winnowd and name it in the setting winnow.daemon.path.",
    });
  }
  if (platform === "linux" && !(await runsOnLinux(file, arch))) throw wrongMachine(file, `${platform}-${arch}`);
  return file;
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

function wrongMachine(file: string, machine: string, cause?: unknown): DaemonError {
  return new DaemonError(`${file} is not a program for this machine (${machine})`, {
    next: "Install the extension for this platform, or name another winnowd in the setting winnow.daemon.path.",
    cause,
  });
}

/** Returns the error for a daemon that the system could not start. */
export function startError(file: string, cause: NodeJS.ErrnoException): DaemonError {
  switch (cause.code) {
    case "ENOEXEC":
    case "UNKNOWN":
      return wrongMachine(file, `${process.platform}-${process.arch}`, cause);
    case "EACCES":
    case "EPERM":
      return new DaemonError(`${file} may not be executed`, {
        next: "Allow it to run (chmod +x, or your security software), or name another winnowd in winnow.daemon.path.",
        cause,
      });
    default:
      return new DaemonError(`${file} could not be started: ${cause.message}`, {
        next: "Check the setting winnow.daemon.path, or install the extension again.",
        cause,
      });
  }
}
