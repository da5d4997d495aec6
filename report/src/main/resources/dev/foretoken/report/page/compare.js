// A result file beside the page's figures; the file is read here and goes nowhere.

const FAMILY = 'foretoken/result/';

function cell(tag, text) {
  const e = document.createElement(tag);
  e.textContent = text;
  return e;
}

function armName(p) {
  return [p.method, p.budget === undefined ? null : `budget ${p.budget}`, p.top_k === undefined ? null : `top-k ${p.top_k}`,
    p.draft_tokens === undefined ? null : `${p.draft_tokens} drafts`, `TP ${p.tp}`, p.workload].filter(Boolean).join(', ');
}

/** Arms of a file by name, each with its closed-loop points. */
export function armsOf(text) {
  let result;
  try {
    result = JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON.');
  }
  if (typeof result !== 'object' || result === null || !String(result.schema).startsWith(FAMILY) || !Array.isArray(result.points)) {
    throw new Error(`The file is not a result: its schema must start with ${FAMILY}.`);
  }
  const arms = new Map();
  result.points.forEach((p) => {
    if (p.feasible && p.load && Number.isFinite(p.load.concurrency) && Number.isFinite(p.output_tok_s)) {
      const name = armName(p);
      arms.set(name, [...(arms.get(name) || []), p]);
    }
  });
  if (arms.size === 0) {
    throw new Error('The file has no feasible closed-loop points.');
  }
  return arms;
}

/** Table of an arm's output beside the page's at the same concurrency. */
export function comparison(name, points, line) {
  const table = document.createElement('table');
  table.append(cell('caption', `${name}, and the settings of this page`));
  const head = document.createElement('thead');
  const titles = document.createElement('tr');
  ['concurrency', 'file, tok/s', 'page, tok/s', 'page / file'].forEach((t) => {
    const th = cell('th', t);
    th.scope = 'col';
    titles.append(th);
  });
  head.append(titles);
  const body = document.createElement('tbody');
  points.forEach((p) => {
    const here = line.find((q) => q.feasible && q.load.concurrency === p.load.concurrency);
    const row = document.createElement('tr');
    row.append(
      cell('td', p.load.concurrency),
      cell('td', p.output_tok_s.toFixed(1)),
      cell('td', here ? here.output_tok_s.toFixed(1) : ''),
      cell('td', here && p.output_tok_s > 0 ? (here.output_tok_s / p.output_tok_s).toFixed(3) : ''),
    );
    body.append(row);
  });
  table.append(head, body);
  return table;
}
