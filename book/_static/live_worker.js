// Python in a worker, so that the page stays alive and a loop without end can be stopped.
import { loadPyodide } from "./pyodide/pyodide.mjs";

// Runs one cell as a notebook would: what is printed, the value of its last line, its error.
const RUN = `
import ast, contextlib, io, linecache, sys, traceback

def run_cell(source, space, name):
    printed, value, error = io.StringIO(), None, None
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            tree = ast.parse(source, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), space)
            html = value._repr_html_() if hasattr(value, "_repr_html_") else None
            text = repr(value) if value is not None and html is None else None
        except BaseException as problem:
            html = text = None
            steps = problem.__traceback__
            while steps is not None and steps.tb_frame.f_code.co_filename != name:
                steps = steps.tb_next
            error = "".join(traceback.format_exception(type(problem), problem, steps))
    return {"printed": printed.getvalue()[:20000], "html": html, "text": text, "error": error}
`;

const here = new URL("pyodide/", import.meta.url);
const python = start();

async function start() {
  const [runtime, modules] = await Promise.all([
    loadPyodide({ indexURL: here.href }),
    fetch(new URL("modules.json", here)).then((answer) => answer.json()),
  ]);
  for (const [name, text] of Object.entries(modules)) {
    const path = `${runtime.FS.cwd()}/${name}`; // where Python looks first
    runtime.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    runtime.FS.writeFile(path, text);
  }
  runtime.runPython(RUN);
  return { run: runtime.globals.get("run_cell"), space: runtime.toPy({ __name__: "__main__" }) };
}

self.addEventListener("message", async (event) => {
  let ready;
  try {
    ready = await python;
  } catch (error) {
    self.postMessage({ failed: String(error.message || error) });
    return;
  }
  self.postMessage({ ready: true });
  for (const { number, text } of event.data) {
    const proxy = ready.run(text, ready.space, `code ${number + 1}`);
    const result = proxy.toJs({ dict_converter: Object.fromEntries });
    proxy.destroy();
    self.postMessage({ number, ...result });
    if (result.error) break;
  }
});
