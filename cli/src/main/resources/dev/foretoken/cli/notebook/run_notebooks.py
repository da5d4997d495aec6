"""Executes notebooks without a browser and checks what they show; or strips their outputs.

    run_notebooks.py run KERNEL TIMEOUT_S OUT_DIR NOTEBOOK...     OUT_DIR "-": nothing is written
    run_notebooks.py clean NOTEBOOK...

A notebook fails when a cell raises, when a cell tagged "chart" shows no chart (PNG and SVG), or one tagged "table" no table.
Exit 1 when one failed; the others are executed all the same.
"""

import base64
import os
import re
import sys
import time

import nbformat


def outputs(cell, kind):
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if kind in data:
            found.append(data[kind])
    return found


def errors(notebook):
    """What failed cells say, with their source."""
    found = []
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                lines = ["cell %d: %s" % (number, output.ename), cell.source, ""] + output.traceback
                found.append(re.sub("\x1b\\[[0-9;]*m", "", "\n".join(lines)))
    return found


def problems(notebook):
    missing = []
    for number, cell in enumerate(notebook.cells, 1):
        tags = cell.metadata.get("tags", [])
        if "chart" in tags and not (outputs(cell, "image/png") and outputs(cell, "image/svg+xml")):
            missing.append("cell %d shows no chart" % number)
        if "table" in tags and not any("<table" in html for html in outputs(cell, "text/html")):
            missing.append("cell %d shows no table" % number)
    return missing


def shown(notebook, kind):
    return sum(len(outputs(c, kind)) for c in notebook.cells)


def write(folder, name, notebook):
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, name)
    part = target + ".part"
    nbformat.write(notebook, part)
    os.replace(part, target)
    for number, cell in enumerate(notebook.cells, 1):
        for index, png in enumerate(outputs(cell, "image/png")):
            stem = "%s-cell%02d%s" % (os.path.splitext(name)[0], number, "" if index == 0 else "-%d" % index)
            target = os.path.join(folder, stem + ".png")
            with open(target + ".part", "wb") as out:
                out.write(base64.b64decode(png))
            os.replace(target + ".part", target)


def run(kernel, timeout, folder, paths):
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    failed = 0
    for path in paths:
        name = os.path.basename(path)
        notebook = nbformat.read(path, as_version=4)
        started = time.monotonic()
        client = NotebookClient(
            notebook,
            timeout=timeout,
            startup_timeout=120,
            kernel_name=kernel,
            resources={"metadata": {"path": os.path.dirname(os.path.abspath(path))}},
        )
        try:
            client.execute()
            wrong = problems(notebook)
        except (CellExecutionError, CellTimeoutError, DeadKernelError, RuntimeError) as e:
            wrong = errors(notebook) or [str(e)]
        seconds = time.monotonic() - started
        if folder != "-":
            write(folder, name, notebook)
        if wrong:
            failed += 1
            print("%s: FAILED after %.0f s" % (name, seconds), flush=True)
            for line in wrong:
                print("  " + line.replace("\n", "\n  "), flush=True)
        else:
            print(
                "%s: ok, %d charts, %d tables, %.0f s"
                % (name, shown(notebook, "image/png"), shown(notebook, "text/html"), seconds),
                flush=True,
            )
    return 1 if failed else 0


def clean(paths):
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = []
                cell.execution_count = None
            cell.metadata = {k: v for k, v in cell.metadata.items() if k == "tags"}
        notebook.metadata = {
            k: {"name": v["name"], "display_name": v["display_name"]} if k == "kernelspec" else {"name": v["name"]}
            for k, v in notebook.metadata.items()
            if k in ("kernelspec", "language_info")
        }
        part = path + ".part"
        nbformat.write(notebook, part)
        os.replace(part, path)
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "run":
        sys.exit(run(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]))
    sys.exit(clean(sys.argv[2:]))
