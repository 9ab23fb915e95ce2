// What is published is installed as its users do: by npx, from a registry on
// loopback, where there is no Go.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);

const target = `${process.platform}-${process.arch}`;

/** Makes a release of a version and returns its folder, which the next one does not touch. */
async function make(version: string, dir: string): Promise<string> {
  await run(process.execPath, ["extension/scripts/release.mjs", "--target", target, "--version", version], {
    maxBuffer: 1 << 26,
  });
  const to = path.join(dir, version);
  await cp("out/release", to, { recursive: true });
  return to;
}

/** One package in one version. */
interface Published {
  manifest: { name: string; version: string };
  tarball: Buffer;
}

/** A registry that has what was published to it, and nothing else. */
async function registry(t: TestContext): Promise<{ url: string; publish: (file: string) => Promise<void> }> {
  const packages = new Map<string, Published[]>();
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "").slice(1).replace(/\?.*/, ""));
    const tarball = [...packages.values()].flat().find(({ manifest }) => name === fileOf(manifest));
    const versions = packages.get(name);
    if (tarball !== undefined) response.end(tarball.tarball);
    else if (versions !== undefined) response.end(JSON.stringify(packument(name, versions)));
    else response.writeHead(404).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const packument = (name: string, versions: Published[]) => ({
    name,
    "dist-tags": { latest: versions.at(-1)?.manifest.version },
    versions: Object.fromEntries(
      versions.map(({ manifest, tarball }) => [
        manifest.version,
        { ...manifest, dist: { tarball: url + fileOf(manifest), integrity: integrity(tarball) } },
      ]),
    ),
  });
  const publish = async (file: string) => {
    const { stdout } = await run("tar", ["-xOf", file, "package/package.json"]);
    const manifest = JSON.parse(stdout) as Published["manifest"];
    packages.set(manifest.name, [...(packages.get(manifest.name) ?? []), { manifest, tarball: await readFile(file) }]);
  };
  return { url, publish };
}

const fileOf = ({ name, version }: Published["manifest"]) => `-/${name.replaceAll("/", "-")}-${version}.tgz`;

const integrity = (data: Buffer) => `sha512-${createHash("sha512").update(data).digest("base64")}`;

/** A machine with Node, npm and nothing else. */
interface Machine {
  dir: string;
  env: Record<string, string>;
}

async function machine(dir: string, registryURL: string): Promise<Machine> {
  const bin = path.join(dir, "bin");
  await mkdir(bin, { recursive: true });
  for (const program of ["node", "npm", "npx", "sh", "env"]) {
    const { stdout } = await run("sh", ["-c", `command -v ${program}`]);
    await symlink(stdout.trim(), path.join(bin, program));
  }
  await mkdir(path.join(dir, "workspace"));
  const env = { PATH: bin, HOME: dir, npm_config_registry: registryURL, npm_config_cache: path.join(dir, "npm") };
  return { dir, env };
}

/** What a client is told by the server that a command starts, and what a call answers. */
async function client(command: string, args: string[], { dir, env }: Machine, call?: object) {
  const child = spawn(command, args, { cwd: path.join(dir, "workspace"), env, stdio: ["pipe", "pipe", "inherit"] });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/list" });
  const answers: Record<
    number,
    { serverInfo?: { version: string }; tools?: { name: string }[]; content?: { text: string }[] }
  > = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as { id?: number; result?: (typeof answers)[number] };
    if (message.id !== undefined && message.result !== undefined) answers[message.id] = message.result;
    if (message.id === (call === undefined ? 2 : 3)) break;
    if (message.id === 2) send({ id: 3, method: "tools/call", params: call });
  }
  child.stdin.end();
  await once(child, "exit");
  return {
    version: answers[1]?.serverInfo?.version,
    tools: answers[2]?.tools?.map(({ name }) => name) ?? [],
    called: answers[3]?.content?.[0]?.text,
  };
}

/** Holds the formula to what brew does by it: it loads the archive, checks its sum, unpacks it and runs the test. */
async function formulaHolds(release: string, version: string, dir: string): Promise<void> {
  const formula = await readFile(path.join(release, "winnow.rb"), "utf8");
  const lines = formula.trimEnd().split("\n");
  const opened = lines.filter((line) => /^\s*(?:class|def) |\sdo$/.test(line)).length;
  assert.equal(lines.filter((line) => line.trim() === "end").length, opened, formula);
  // Where there is Ruby, it says it itself.
  await run("ruby", ["-c", path.join(release, "winnow.rb")]).catch((err: unknown) => {
    if ((err as NodeJS.ErrnoException).code !== "ENOENT") throw err;
  });
  const loads = [...formula.matchAll(/url "[^"]*\/download\/v([^/]*)\/([^"]*)"\n\s*sha256 "([0-9a-f]{64})"/g)];
  assert.equal(loads.length, 1, formula); // one platform was made
  for (const [, of, name = "", sum] of loads) {
    assert.equal(of, version);
    const content = await readFile(path.join(release, name));
    assert.equal(createHash("sha256").update(content).digest("hex"), sum, name);
    // brew enters the one folder of an archive.
    await mkdir(path.join(dir, "brew"));
    await run("tar", ["-xzf", path.join(release, name), "-C", path.join(dir, "brew"), "--strip-components=1"]);
  }
  const [, program = ""] = /bin\.install "(.*)"/.exec(formula) ?? [];
  const [, asked = ""] = /shell_output\("#\{bin\}\/winnowd (.*)"\)/.exec(formula) ?? [];
  const { stdout } = await run(path.join(dir, "brew", program), [asked]);
  assert.equal(stdout, `winnowd ${version}\n`);
}

/** An image as its Dockerfile says, as far as that needs no other image: the files, and how it is started. */
interface Image {
  root: string;
  workdir: string;
  command: string[];
}

/** Carries out a Dockerfile, but for FROM: the system and its Node are this machine's. */
async function build(context: string, root: string): Promise<Image> {
  const image: Image = { root, workdir: "/", command: [] };
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  for (const line of (await readFile(path.join(context, "Dockerfile"), "utf8")).split("\n")) {
    const [instruction = "", ...words] = line.replaceAll("${TARGETARCH}", arch).split(" ");
    switch (instruction) {
      case "COPY": {
        const to = path.join(root, words.at(-1) ?? "");
        const isFolder = to.endsWith("/");
        await mkdir(isFolder ? to : path.dirname(to), { recursive: true });
        for (const file of words.slice(0, -1)) await cp(path.join(context, file), isFolder ? path.join(to, file) : to);
        break;
      }
      case "WORKDIR":
        image.workdir = words.join(" ");
        break;
      case "ENTRYPOINT":
      case "CMD":
        image.command.push(...(JSON.parse(words.join(" ")) as string[]));
        break;
      case "":
      case "#":
      case "FROM":
      case "ARG":
      case "USER": // it is nobody in particular, as the files belong to nobody
        break;
      default:
        assert.fail(`nobody knows ${line}`);
    }
  }
  return image;
}

/** The arguments of bwrap that run an image beside a workspace, as an engine does. */
async function contained(image: Image, workspace: string): Promise<string[]> {
  const system = ["/usr", "/bin", "/lib", "/lib64", "/etc"].filter((folder) => existsSync(folder));
  const files = await readdir(image.root, { recursive: true, withFileTypes: true });
  return [
    ...["--unshare-all", "--uid", "1000", "--gid", "1000", "--die-with-parent"],
    ...system.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...[
      "--proc",
      "/proc",
      "--dev",
      "/dev",
      "--tmpfs",
      "/tmp",
      "--tmpfs",
      "/home",
      "--tmpfs",
      "/usr/local",
      "--tmpfs",
      "/usr/share",
    ],
    ...["--ro-bind", process.execPath, "/usr/local/bin/node"],
    ...files
      .filter((file) => file.isFile())
      .map((file) => path.join(file.parentPath, file.name))
      .flatMap((file) => ["--ro-bind", file, `/${path.relative(image.root, file)}`]),
    ...["--bind", workspace, image.workdir, "--chdir", image.workdir],
    ...["--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME", "/home/node"],
    ...image.command,
  ];
}

test("the image's files answer a client, with the servers of the folder that is mounted", async (t) => {
  if (process.platform !== "linux") {
    t.skip("an image is Linux's");
    return;
  }
  const probe = run("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"]);
  if (
    !(await probe.then(
      () => true,
      () => false,
    ))
  ) {
    t.skip("needs bubblewrap, and user namespaces");
    return;
  }
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-image-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const image = await build(path.join(await make("0.9.1", dir), "container"), path.join(dir, "root"));
  const workspace = path.join(dir, "workspace");
  await mkdir(path.join(workspace, ".vscode"), { recursive: true });
  await writeFile(path.join(workspace, "server.mjs"), echoServer);
  const servers = { echo: { command: "node", args: ["/workspace/server.mjs"] } };
  await writeFile(path.join(workspace, ".vscode", "winnow.json"), JSON.stringify({ servers }));
  const there = { dir, env: { PATH: process.env["PATH"] ?? "" } };
  const call = { name: "mcp_call", arguments: { name: "echo", arguments: {} } };
  const { version, tools, called } = await client("bwrap", await contained(image, workspace), there, call);
  assert.equal(version, "0.9.1");
  assert.ok(tools.includes("mcp_call"), tools.join());
  assert.equal(called, "heard");
});

/** An MCP server of one tool. */
const echoServer = `
import { createInterface } from "node:readline";
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "heard" }] }),
  ping: () => ({}),
};
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params);
  const rest = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\\n");
}
`;

test("npx answers a client without Go, and an update in place keeps the client's configuration", async (t) => {
  if (process.platform === "win32") {
    t.skip("the archives are made by GNU tar");
    return;
  }
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-release-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const umask = process.umask(0o077);
  const first = await make("0.9.1", dir);
  process.umask(umask);

  const sums = (await readFile(path.join(first, "SHA256SUMS"), "utf8")).trim().split("\n");
  for (const line of sums) {
    const [sum, name = ""] = line.split("  ");
    const content = await readFile(path.join(first, name));
    assert.equal(createHash("sha256").update(content).digest("hex"), sum, name);
  }
  const { stdout: packed } = await run("tar", ["-tvzf", path.join(first, `winnowd-0.9.1-${target}.tar.gz`)]);
  const modes = packed
    .trim()
    .split("\n")
    .map((line) => line.slice(0, 10));
  assert.deepEqual(modes, ["drwxr-xr-x", "-rw-r--r--", "-rw-r--r--", "-rwxr-xr-x"], packed);
  await formulaHolds(first, "0.9.1", dir);
  const bom = JSON.parse(await readFile(path.join(first, "winnowd.cdx.json"), "utf8")) as {
    components: { name: string }[];
  };
  assert.ok(bom.components.some(({ name }) => name === "github.com/mark3labs/mcp-go"));
  const entry = JSON.parse(await readFile(path.join(first, "server.json"), "utf8")) as { version: string };
  assert.equal(entry.version, "0.9.1");
  const { url, publish } = await registry(t);
  const packages = (folder: string, version: string) => [
    path.join(folder, "npm", `winnow-mcp-winnowd-${target}-${version}.tgz`),
    path.join(folder, "npm", `winnow-mcp-${version}.tgz`),
  ];
  for (const file of packages(first, "0.9.1")) await publish(file);
  const here = await machine(path.join(dir, "machine"), url);
  const npx = path.join(here.dir, "bin", "npx");

  const answered = await client(npx, ["-y", "winnow-mcp", "mcp", "-alone"], here);
  assert.equal(answered.version, "0.9.1");
  assert.ok(answered.tools.includes("mcp_search"), answered.tools.join());
  // The second time nothing is fetched.
  const offline: Machine = { ...here, env: { ...here.env, npm_config_offline: "true" } };
  assert.equal((await client(npx, ["winnow-mcp", "mcp", "-alone"], offline)).version, "0.9.1");

  await run(npx, ["winnow-mcp", "connect", "cursor"], { env: here.env, cwd: here.dir });
  const configuration = await readFile(path.join(here.dir, ".cursor", "mcp.json"), "utf8");
  const { command } = (JSON.parse(configuration) as { mcpServers: { winnow: { command: string } } }).mcpServers.winnow;
  assert.equal((await client(command, ["mcp", "-alone"], here)).version, "0.9.1");

  for (const file of packages(await make("0.9.2", dir), "0.9.2")) await publish(file);
  await rm(path.join(here.dir, "npm"), { recursive: true });
  assert.equal((await client(command, ["mcp", "-alone"], here)).version, "0.9.1", "with npm's cache emptied");
  // A newer version that serves a client by npx renews the program that the configuration names.
  assert.equal((await client(npx, ["-y", "winnow-mcp@latest", "mcp", "-alone"], here)).version, "0.9.2");
  assert.equal(await readFile(path.join(here.dir, ".cursor", "mcp.json"), "utf8"), configuration);
  assert.equal((await client(command, ["mcp", "-alone"], here)).version, "0.9.2");
});
