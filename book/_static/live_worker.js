// Python in a worker, so that the page stays alive and a loop without end can be stopped.
// The page asks { about } once, to start it, then { cells, sources } to run cells in order.
"use strict";

const here = new URL("python/", self.location);
let python; // a promise: { page, links }

function tell(progress) {
  self.postMessage({ progress });
}

// A file of the site; what the browser has kept is taken as it is, since a new one has a new name.
async function bytesOf(address, size, words) {
  const answer = await fetch(address, { cache: "force-cache" });
  if (!answer.ok) throw new Error(`${address.pathname} is not there`);
  const parts = [];
  let there = 0;
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    there += value.length;
    if (words) tell(`${words}: ${Math.min(99, Math.round((100 * there) / size))} % of the libraries are here ...`);
  }
  return new Blob(parts).arrayBuffer();
}

async function start(about) {
  const folder = new URL(`${about.folder}/`, here);
  const words = `Fetching Python with numpy and pandas (${(about.bytes / 1e6).toFixed(0)} MB, the first time)`;
  tell(`${words} ...`);
  const { loadPyodide } = await import(new URL("pyodide.mjs", folder));
  const [runtime, ...archives] = await Promise.all([
    loadPyodide({ indexURL: folder.href }),
    bytesOf(new URL("packages.zip", folder), about.packages, words),
    bytesOf(new URL(about.package, here)),
  ]);
  tell("Starting Python ...");
  const packages = runtime.runPython("import sysconfig; sysconfig.get_path('purelib')");
  for (const archive of archives) runtime.unpackArchive(archive, "zip", { extractDir: packages });
  runtime.runPython("import builtins, ppdm_page; page = ppdm_page.Page(); builtins.display = page.display");
  return { runtime, page: runtime.globals.get("page"), links: runtime.pyimport("ppdm_page").links };
}

function plain(proxy) {
  const value = proxy.toJs({ dict_converter: Object.fromEntries });
  proxy.destroy();
  return value;
}

async function run({ cells, sources }) {
  const { runtime, page, links } = await python;
  if (/\b(numpy|pandas|ppdm(?!\.coins))\b/.test(cells.map((cell) => cell.hidden + cell.text).join())) {
    tell("Starting numpy and pandas ...");
    runtime.runPython("import pandas; ppdm_page.mend()");
  }
  tell("Running ...");
  const names = plain(links(runtime.toPy(sources)));
  for (const { number, hidden, text } of cells) {
    const result = plain(page.run(number, hidden, text));
    self.postMessage({ number, names, ...result });
    if (result.error) break;
  }
}

self.addEventListener("message", async (event) => {
  try {
    if (event.data.about) python = start(event.data.about);
    else await run(event.data);
    await python;
  } catch (error) {
    self.postMessage({ failed: String(error.message || error) });
  }
});
