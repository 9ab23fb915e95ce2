import { open } from "node:fs/promises";

/** The supported machines in ELF's numbering (e_machine). */
const machines: Record<string, number> = { x64: 62, arm64: 183 };

/** The offset of e_machine in an ELF header, and its end. */
const machineAt = 18;
const headerEnd = machineAt + 2;

/**
 * Reports whether Linux can run a file: an ELF program for this machine, or a script. The system does not report
 * that: execvp passes other files to the shell, whose error is misleading.
 *
 * @param arch as in process.arch; an unknown one is not checked
 */
export async function runsOnLinux(file: string, arch: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const header = Buffer.alloc(headerEnd);
    await handle.read(header, 0, headerEnd, 0);
    if (header.subarray(0, 2).toString("latin1") === "#!") return true;
    const machine = machines[arch];
    const isELF = header.subarray(0, 4).toString("latin1") === "\x7fELF";
    return isELF && (machine === undefined || header.readUInt16LE(machineAt) === machine);
  } finally {
    await handle.close();
  }
}
