// npm run release -- --target linux-x64: what is published besides the VSIX,
// in out/release: npm packages, archives, the container's context, the formula,
// the registry's entry, bills of materials and checksums. Without --target for
// all platforms.
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { compileDaemon } from "./build.mjs";
import { installDependencies } from "./dependencies.mjs";
import { notices } from "./notices.mjs";
import { sourceDate, targets } from "./package.mjs";
import { RunError, capture, root } from "./run.mjs";

/** Where everything goes. */
export const out = path.join(root, "out", "release");

/** The name on npm, and that of the packages with one platform's program each. */
const npmName = "winnow-mcp";
/** @param {string} platform */
const platformName = (platform) => `@winnow-mcp/winnowd-${platform}`;

const repository = "https://github.com/winnow-mcp/winnow";
const description = "One MCP server in front of all of yours, which attaches to each task only the tools it needs.";

/** Node's names of platforms for which there is a program: an Alpine machine takes Linux's. */
const platforms = Object.keys(targets).filter((name) => !name.startsWith("alpine-"));

/**
 * Makes everything, and returns the files from the root.
 *
 * @param {{ platforms: string[], version: string }} options
 */
export async function release(options) {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const legal = path.join(out, "legal");
  await mkdir(legal);
  await copyFile(path.join(root, "LICENSE"), path.join(legal, "LICENSE"));
  await writeFile(path.join(legal, "THIRD_PARTY_NOTICES.txt"), await notices([]));
  /** @type {Record<string, string>} */
  const archives = {};
  let program = "";
  for (const platform of options.platforms) {
    program = await compile(platform, options.version);
    await platformPackage(platform, program, legal, options.version);
    archives[platform] = await archive(platform, program, legal, options.version);
    await containerFile(platform, program);
  }
  await mainPackage(legal, options);
  await container(legal);
  await writeFile(path.join(out, "winnow.rb"), formula(archives, options.version));
  await writeFile(path.join(out, "server.json"), registryEntry(options.version));
  await materials(program, options.version);
  for (const folder of ["stage", "legal"]) await rm(path.join(out, folder), { recursive: true, force: true });
  return checksums();
}

/**
 * @param {string} platform
 * @param {string} version
 */
async function compile(platform, version) {
  const target = targets[platform];
  if (target === undefined) throw new RunError(`no target "${platform}"; there are: ${platforms.join(", ")}`);
  const name = target.GOOS === "windows" ? "winnowd.exe" : "winnowd";
  const file = path.join(out, "stage", platform, name);
  await compileDaemon(file, { ...target, CGO_ENABLED: "0" }, { version, stdoutToStderr: true });
  return file;
}

/**
 * Packs a folder for npm.
 *
 * @param {string} dir
 * @param {object} manifest
 */
async function pack(dir, manifest) {
  await writeFile(path.join(dir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const to = path.join(out, "npm");
  await mkdir(to, { recursive: true });
  await capture("npm", ["pack", "--silent", "--pack-destination", to], { cwd: dir });
}

/** @param {string} version */
function manifestOf(version) {
  return { version, license: "MIT", repository: { type: "git", url: `git+${repository}.git` } };
}

/**
 * The package with one platform's program.
 *
 * @param {string} platform
 * @param {string} program
 * @param {string} legal
 * @param {string} version
 */
async function platformPackage(platform, program, legal, version) {
  const [os = "", cpu = ""] = platform.split("-");
  const dir = path.join(out, "stage", `npm-${platform}`);
  await mkdir(path.join(dir, "bin"), { recursive: true });
  await copyFile(program, path.join(dir, "bin", path.basename(program)));
  await chmod(path.join(dir, "bin", path.basename(program)), 0o755);
  await copyLegal(legal, dir);
  await pack(dir, {
    name: platformName(platform),
    ...manifestOf(version),
    description: `winnowd for ${platform}; winnow-mcp installs it.`,
    os: [os],
    cpu: [cpu],
    preferUnplugged: true,
    files: ["bin", "THIRD_PARTY_NOTICES.txt"],
  });
}

/**
 * The package that people name.
 *
 * @param {string} legal
 * @param {{ platforms: string[], version: string }} options
 */
async function mainPackage(legal, { version }) {
  const dir = path.join(out, "stage", "npm");
  await mkdir(dir, { recursive: true });
  for (const file of ["winnowd.mjs", "README.md"]) {
    await copyFile(path.join(root, "daemon", "packaging", "npm", file), path.join(dir, file));
  }
  await copyLegal(legal, dir);
  await pack(dir, {
    name: npmName,
    ...manifestOf(version),
    description,
    mcpName: "io.github.winnow-mcp/winnow",
    bin: { [npmName]: "winnowd.mjs", winnowd: "winnowd.mjs" },
    files: ["winnowd.mjs"],
    type: "module",
    engines: { node: ">=20" },
    keywords: ["mcp", "model context protocol", "tools", "gateway", "proxy"],
    optionalDependencies: Object.fromEntries(platforms.map((name) => [platformName(name), version])),
  });
}

/**
 * @param {string} from
 * @param {string} to
 */
async function copyLegal(from, to) {
  for (const file of await readdir(from)) await copyFile(path.join(from, file), path.join(to, file));
}

/**
 * The archive of one platform, with the same bytes for the same commit.
 *
 * @param {string} platform
 * @param {string} program
 * @param {string} legal
 * @param {string} version
 */
async function archive(platform, program, legal, version) {
  const name = `winnowd-${version}-${platform}`;
  const dir = path.join(out, "stage", name);
  await mkdir(dir);
  await copyFile(program, path.join(dir, path.basename(program)));
  await copyLegal(legal, dir);
  // Whatever the umask of who makes it: a program for everybody to start, texts for everybody to read.
  const plain = ["--format=ustar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  await capture("tar", [
    ...plain,
    `--mtime=@${await sourceDate()}`,
    "-C",
    path.dirname(dir),
    "-cf",
    path.join(out, `${name}.tar`),
    name,
  ]);
  await capture("gzip", ["-9", "-n", path.join(out, `${name}.tar`)]);
  return path.join(out, `${name}.tar.gz`);
}

/**
 * @param {string} platform
 * @param {string} program
 */
async function containerFile(platform, program) {
  const target = targets[platform];
  if (target?.GOOS !== "linux") return;
  const dir = path.join(out, "container");
  await mkdir(dir, { recursive: true });
  await copyFile(program, path.join(dir, `winnowd-linux-${target.GOARCH}`));
}

/** @param {string} legal */
async function container(legal) {
  const dir = path.join(out, "container");
  await mkdir(dir, { recursive: true });
  await copyFile(path.join(root, "daemon", "packaging", "Dockerfile"), path.join(dir, "Dockerfile"));
  await copyLegal(legal, dir);
}

/**
 * The formula for Homebrew.
 *
 * @param {Record<string, string>} archives by platform; those that were not made are left out
 * @param {string} version
 */
function formula(archives, version) {
  /** @type {{ os: string, node: string }[]} */
  const systems = [
    { os: "macos", node: "darwin" },
    { os: "linux", node: "linux" },
  ];
  const blocks = systems.map(({ os, node }) => {
    const cpus = Object.entries({ arm: "arm64", intel: "x64" }).flatMap(([on, cpu]) => {
      const file = archives[`${node}-${cpu}`];
      if (file === undefined) return [];
      const url = `${repository}/releases/download/v${version}/${path.basename(file)}`;
      return [`    on_${on} do\n      url "${url}"\n      sha256 "@${path.basename(file)}@"\n    end`];
    });
    return cpus.length === 0 ? "" : `\n  on_${os} do\n${cpus.join("\n")}\n  end\n`;
  });
  return `class Winnow < Formula
  desc "Attach to each task only the MCP tools it needs"
  homepage "${repository}"
  version "${version}"
  license "MIT"
${blocks.join("")}
  def install
    bin.install "winnowd"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/winnowd -version")
  end
end
`;
}

/**
 * The entry for the MCP registry.
 *
 * @param {string} version
 */
function registryEntry(version) {
  const entry = {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json",
    name: "io.github.winnow-mcp/winnow",
    title: "Winnow",
    description: "All of your MCP servers as one that attaches to each task only the tools it needs.",
    version,
    repository: { url: repository, source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: npmName,
        version,
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "mcp" }],
      },
    ],
  };
  return `${JSON.stringify(entry, null, 2)}\n`;
}

/**
 * The bills of materials of the program, which is the same on all platforms, and
 * of the extension.
 *
 * @param {string} program
 * @param {string} version
 */
async function materials(program, version) {
  const listed = ["bin", "-json", "-version", version, "-output", path.join(out, "winnowd.cdx.json"), program];
  await capture("go", ["tool", "cyclonedx-gomod", ...listed], { cwd: path.join(root, "daemon", "packaging", "sbom") });
  const extension = await capture("npm", ["sbom", "--sbom-format=cyclonedx"]);
  await writeFile(path.join(out, "extension.cdx.json"), extension);
}

/** Writes SHA256SUMS, and the sums into the formula; returns the files that there are. */
async function checksums() {
  const names = (await readdir(out, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(out, path.join(entry.parentPath, entry.name)))
    .sort();
  let rb = await readFile(path.join(out, "winnow.rb"), "utf8");
  const lines = [];
  for (const name of [...names.filter((one) => one !== "winnow.rb"), "winnow.rb"]) {
    if (name === "winnow.rb") await writeFile(path.join(out, name), rb);
    const sum = createHash("sha256")
      .update(await readFile(path.join(out, name)))
      .digest("hex");
    rb = rb.replace(`@${name}@`, sum);
    lines.push(`${sum}  ${name}`);
  }
  await writeFile(path.join(out, "SHA256SUMS"), `${lines.join("\n")}\n`);
  return [...names, "SHA256SUMS"].map((name) => path.relative(root, path.join(out, name)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    const { values } = parseArgs({
      options: { target: { type: "string", multiple: true }, version: { type: "string" } },
    });
    await installDependencies();
    const manifest = /** @type {{ version: string }} */ (
      JSON.parse(await readFile(path.join(root, "package.json"), "utf8"))
    );
    const made = await release({ platforms: values.target ?? platforms, version: values.version ?? manifest.version });
    for (const file of made) console.log(file);
  } catch (err) {
    if (!(err instanceof RunError)) throw err;
    console.error(`npm run release: ${err.message}`);
    process.exitCode = 1;
  }
}
