import { Controls } from './controls.js';
import { drawTree } from './drawing.js';
import { armsOf, comparison } from './compare.js';

const byId = (id) => document.getElementById(id);
const TITLES = { budget: 'output against size', speedup: 'speed-up against concurrency', pareto: 'output against latency', terms: 'parts of a round' };

let controls;
let answer;
let arms;
let asked = 0;
let running = false;

function fail(message) {
  byId('error').textContent = message;
  byId('error').hidden = false;
}

async function post(path, settings) {
  const response = await fetch(path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(settings),
  });
  if (!response.ok) {
    throw new Error((await response.json()).error);
  }
  return response;
}

/** Asks for the newest settings; while an answer is under way only the last change waits. */
async function update() {
  asked += 1;
  if (running) {
    return;
  }
  running = true;
  let mine;
  do {
    mine = asked;
    const start = performance.now();
    try {
      const found = await (await post('/api/answer', controls.settings())).json();
      answer = found;
      byId('error').hidden = true;
      show();
      byId('status').textContent = `Answered in ${Math.round(performance.now() - start)} ms.`;
    } catch (e) {
      fail(e.message);
      byId('status').textContent = 'The figures below are those of the last settings that could be used.';
    }
    document.body.dataset.answered = mine;
  } while (mine !== asked);
  running = false;
}

function figure(name, title, value, unit, decimals) {
  if (value === undefined || value === null) {
    return null;
  }
  const box = document.createElement('div');
  const dt = document.createElement('dt');
  dt.textContent = title;
  const dd = document.createElement('dd');
  dd.dataset.figure = name;
  dd.dataset.exact = value;
  dd.textContent = typeof value === 'number' ? value.toFixed(decimals) : value;
  if (unit) {
    const small = document.createElement('small');
    small.textContent = ` ${unit}`;
    dd.append(small);
  }
  box.append(dt, dd);
  return box;
}

function show() {
  const p = answer.point;
  byId('result').hidden = false;
  if (!p.feasible) {
    fail(p.reason);
  }
  const range = p.interval ? p.interval.output_tok_s.map((v) => v.toFixed(1)).join('–') : undefined;
  byId('figures').replaceChildren(...[
    figure('output_tok_s', 'output', p.output_tok_s, 'tok/s', 1),
    figure('range', 'range', range, 'tok/s'),
    figure('output_tok_s_per_request', 'per request', p.output_tok_s_per_request, 'tok/s', 1),
    figure('speedup_vs_ar', 'vs autoregressive', p.speedup_vs_ar, '×', 2),
    figure('tpot_ms', 'time per token', p.tpot_ms?.mean, 'ms', 2),
    figure('ttft_ms', 'time to first token', p.ttft_ms?.mean, 'ms', 1),
    figure('accept_length', 'accept length', p.accept_length, 'tok/round', 2),
    figure('round_ms', 'round', p.round_ms, 'ms', 2),
    figure('rows_per_round', 'rows', p.rows_per_round, 'per round', 0),
    figure('bound_by', 'bound by', p.bound_by?.replaceAll('_', ' ')),
    figure('ar_output_tok_s', 'autoregressive', answer.autoregressive.output_tok_s, 'tok/s', 1),
  ].filter(Boolean));
  byId('verdict').textContent = verdict();
  showCharts();
  byId('tree').replaceChildren(drawTree(answer.tree));
  const notes = [...answer.warnings, ...p.notes, `Times from: ${p.calibrated ?? 'unknown'}${p.extrapolated ? ', outside the knots of a curve' : ''}.`];
  byId('notes').replaceChildren(...notes.map((n) => {
    const li = document.createElement('li');
    li.textContent = n;
    return li;
  }));
  byId('yaml').textContent = answer.yaml;
  showComparison();
}

function verdict() {
  const parts = [];
  const b = answer.best_size;
  if (b) {
    const name = b.parameter.replaceAll('_', ' ');
    parts.push(`Best ${name} at this concurrency: ${b.size} (${b.output_tok_s.toFixed(1)} tok/s); within 2 %: ${b.within.join(', ')}.`);
  }
  if (answer.best) {
    parts.push(answer.best.method === 'ar' ? 'Autoregressive decoding is faster than every size of this method here.'
      : answer.best.sure === false ? 'Whether it beats autoregressive decoding is not sure: the ranges overlap.' : '');
    if (answer.best.launch && answer.best.method !== 'ar') {
      parts.push(`Launch: ${answer.best.launch}`);
    }
  }
  return parts.filter(Boolean).join(' ');
}

function showCharts() {
  const known = new Map([...byId('charts').children].map((f) => [f.dataset.chart, f]));
  const figures = Object.entries(answer.charts).map(([name, text]) => {
    const svg = document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true);
    const old = known.get(name);
    if (old) {
      old.firstElementChild.replaceWith(svg);
      return old;
    }
    const fig = document.createElement('figure');
    fig.dataset.chart = name;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Save as PNG';
    button.setAttribute('aria-label', `Save the chart "${TITLES[name]}" as PNG`);
    button.onclick = async () => {
      try {
        save(`${name}.png`, await (await post(`/api/chart/${name}.png`, controls.settings())).blob());
      } catch (e) {
        fail(e.message);
      }
    };
    fig.append(svg, button);
    return fig;
  });
  byId('charts').replaceChildren(...figures);
}

function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function showComparison() {
  const place = byId('comparison');
  if (!arms) {
    return;
  }
  let select = byId('arm');
  if (!select) {
    const label = document.createElement('label');
    label.htmlFor = 'arm';
    label.textContent = 'Arm of the file';
    select = document.createElement('select');
    select.id = 'arm';
    select.onchange = showComparison;
    [...arms.keys()].forEach((name) => {
      const option = document.createElement('option');
      option.textContent = name;
      option.value = name;
      select.append(option);
    });
    place.replaceChildren(label, select, document.createElement('div'));
  }
  place.lastElementChild.replaceChildren(comparison(select.value, arms.get(select.value), answer.line));
}

byId('save-yaml').onclick = () => save('scenario.yaml', new Blob([answer.yaml], { type: 'application/yaml' }));
byId('file').onchange = async (e) => {
  const file = e.target.files[0];
  byId('comparison').replaceChildren();
  arms = undefined;
  if (!file) {
    return;
  }
  try {
    arms = armsOf(await file.text());
    showComparison();
  } catch (problem) {
    const p = document.createElement('p');
    p.setAttribute('role', 'alert');
    p.textContent = problem.message;
    byId('comparison').replaceChildren(p);
  }
};

const response = await fetch('/api/choices');
controls = new Controls(await response.json(), update);
await update();
