// The settings: built from what the server offers, read back as one object.

const CONCURRENCY = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
const TOKENS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
const LARGEST = {
  block: 32, budget: 256, max_budget: 256, top_k: 16, steps: 12, depth: 32, draft_tokens: 64, draft_tp: 8,
};
const START = {
  block: 16, budget: 32, max_budget: 128, top_k: 8, steps: 3, depth: 16, draft_tokens: 12, draft_tp: 1, fire_rate: 0.28,
  draft_weights: 'bf16',
};
const LABELS = {
  block: 'block', budget: 'budget (nodes)', max_budget: 'largest budget (nodes)', top_k: 'top-k', steps: 'steps',
  depth: 'depth', draft_tokens: 'draft tokens', draft_tp: 'TP of the drafter', fire_rate: 'share of rounds that draft',
  chain_seed: 'chain first', drafter: 'drafter', draft_weights: 'weights of the drafter',
};

const byId = (id) => document.getElementById(id);

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
  e.append(...children);
  return e;
}

export class Controls {
  /** @param choices what the server offers; @param changed called after every change */
  constructor(choices, changed) {
    this.choices = choices;
    this.changed = changed;
    this.state = {
      gpu: this.first(choices.gpus.map((g) => g.id), 'rtx-pro-6000-server'),
      tp: 1,
      model: this.first(choices.models, 'qwen3.6-27b'),
      weights: 'bf16',
      engine: this.first(choices.engines, 'sglang'),
      method: 'ddtree',
      parameters: { ...START },
      isl: 512,
      osl: 1024,
      concurrency: 8,
      law: 'family',
      acceptLength: 3,
      spine: 2.219,
      kappa: 0.65,
      band: 0.15,
    };
    this.restore();
    this.build();
  }

  first(values, wanted) {
    return values.includes(wanted) ? wanted : values[0];
  }

  method() {
    return this.choices.methods.find((m) => m.kind === this.state.method) || this.choices.methods[0];
  }

  /** Settings as the server takes them. */
  settings() {
    const s = this.state;
    const parameters = {};
    this.method().parameters.forEach((p) => {
      const v = s.parameters[p.name];
      if (v !== undefined && v !== '' && v !== null) {
        parameters[p.name] = v;
      }
    });
    const number = (id) => (byId(id).value === '' ? null : Number(byId(id).value));
    return {
      gpu: s.gpu, tp: s.tp, model: s.model, weights: s.weights, engine: s.engine, method: this.method().kind, parameters,
      isl: s.isl, osl: s.osl, concurrency: s.concurrency,
      acceptance: s.law === 'length' ? { accept_length: s.acceptLength } : { spine: s.spine, kappa: s.kappa, band: s.band },
      round_times: this.knots(), draft_ms: number('draft-ms'), host_ms: number('host-ms'),
    };
  }

  knots() {
    return byId('knots').value.split('\n').map((line) => line.trim()).filter((line) => line !== '').map((line) => {
      const [rows, ms] = line.split(/[\s,;:]+/).map(Number);
      if (!Number.isInteger(rows) || !Number.isFinite(ms)) {
        throw new Error(`Round times: "${line}" is not a number of rows and milliseconds.`);
      }
      return { rows, ms };
    });
  }

  restore() {
    try {
      const saved = JSON.parse(decodeURIComponent(location.hash.slice(1)));
      Object.keys(this.state).forEach((k) => {
        if (typeof saved[k] === typeof this.state[k]) {
          this.state[k] = saved[k];
        }
      });
    } catch {
      // no settings in the address: those of the start stay
    }
  }

  change(key, value) {
    this.state[key] = value;
    history.replaceState(null, '', `#${encodeURIComponent(JSON.stringify(this.state))}`);
    this.changed();
  }

  parameter(name, value) {
    this.change('parameters', { ...this.state.parameters, [name]: value });
  }

  build() {
    const s = this.state;
    const server = byId('server');
    const card = this.choices.gpus.find((g) => g.id === s.gpu);
    server.replaceChildren(
      ...this.select('gpu', 'card', this.choices.gpus.map((g) => g.id), s.gpu, (v) => this.rebuild('gpu', v)),
      ...this.select('tp', 'TP', [1, 2, 4, 8], s.tp, (v) => this.change('tp', Number(v))),
      ...this.select('model', 'model', this.choices.models, s.model, (v) => this.rebuild('model', v)),
      ...this.select('weights', 'weights', this.choices.dtypes, s.weights, (v) => this.change('weights', v)),
      ...this.select('engine', 'engine', this.choices.engines, s.engine, (v) => this.rebuild('engine', v)),
    );
    if (card && !card.engines.includes(s.engine)) {
      byId('measured').open = true;
    }
    byId('method').replaceChildren(
      ...this.select('kind', 'kind', this.choices.methods.map((m) => m.kind), s.method, (v) => this.choose(v)),
      ...this.method().parameters.flatMap((p) => this.parameterControl(p)),
    );
    byId('summary').textContent = this.method().summary;
    byId('acceptance').replaceChildren(...this.acceptance());
    byId('load').replaceChildren(
      ...this.steps('concurrency', 'concurrency (clients)', CONCURRENCY, s.concurrency, (v) => this.change('concurrency', v)),
      ...this.steps('isl', 'context (prompt tokens)', TOKENS, s.isl, (v) => this.change('isl', v)),
      ...this.steps('osl', 'answer (tokens)', TOKENS, s.osl, (v) => this.change('osl', v)),
    );
    ['knots', 'draft-ms', 'host-ms'].forEach((id) => {
      byId(id).oninput = () => this.changed();
    });
    byId('controls').onsubmit = (e) => e.preventDefault();
  }

  rebuild(key, value) {
    this.state[key] = value;
    this.state.parameters = { ...this.state.parameters, drafter: undefined };
    this.build();
    this.change(key, value);
  }

  choose(kind) {
    this.state.method = kind;
    const drawn = this.method().tree || this.method().parameters.some((p) => p.name === 'block');
    this.state.law = drawn ? 'family' : 'length';
    this.state.parameters = { ...this.state.parameters, drafter: undefined };
    this.build();
    this.change('method', kind);
  }

  acceptance() {
    const s = this.state;
    const laws = this.method().tree ? { family: 'draft-tree fit (a stand-in: Qwen3-4B, public log)' } : { length: 'accept length', family: 'draft-tree fit (a stand-in: Qwen3-4B, public log)' };
    if (!(s.law in laws)) {
      s.law = 'family';
    }
    const law = this.select('law', 'given as', Object.keys(laws), s.law, (v) => {
      s.law = v;
      this.build();
      this.change('law', v);
    }, laws);
    if (s.law === 'length') {
      const most = this.longest() + 1;
      s.acceptLength = Math.min(s.acceptLength, most);
      return [...law, ...this.range('accept-length', 'accept length (tokens per round)', 1, most, 0.05, s.acceptLength,
        (v) => this.change('acceptLength', v))];
    }
    return [...law,
      ...this.range('spine', 'ease of the text (logit)', -1, 4, 0.05, s.spine, (v) => this.change('spine', v)),
      ...this.range('kappa', 'kappa (off the spine)', 0, 1, 0.01, s.kappa, (v) => this.change('kappa', v)),
      ...this.range('band', 'kappa known to within ±', 0, 0.5, 0.01, s.band, (v) => this.change('band', v))];
  }

  /** Longest draft of the method. */
  longest() {
    const p = this.state.parameters;
    const has = (name) => this.method().parameters.some((q) => q.name === name);
    return has('steps') ? p.steps : has('block') ? p.block - 1 : has('draft_tokens') ? p.draft_tokens : p.depth;
  }

  parameterControl(p) {
    const label = LABELS[p.name] || p.name;
    const set = (v) => {
      this.parameter(p.name, v);
      if (this.state.law === 'length') {
        byId('acceptance').replaceChildren(...this.acceptance());
      }
    };
    if (p.type === 'BOOL') {
      const value = this.state.parameters[p.name] ?? p.default_value ?? false;
      this.state.parameters[p.name] = value;
      const box = element('input', { type: 'checkbox', id: p.name });
      box.checked = value;
      box.onchange = () => set(box.checked);
      return [element('label', { for: p.name }, label, box)];
    }
    if (p.type === 'TEXT') {
      return this.textParameter(p, label, set);
    }
    const least = p.min ?? 0;
    const most = Math.min(p.max ?? Infinity, LARGEST[p.name] ?? (p.type === 'REAL' ? 1 : 64));
    const value = this.state.parameters[p.name] ?? p.default_value ?? least;
    this.state.parameters[p.name] = Math.min(most, Math.max(least, value));
    return this.range(p.name, label, least, most, p.type === 'REAL' ? 0.01 : 1, this.state.parameters[p.name], set);
  }

  textParameter(p, label, set) {
    if (p.name === 'draft_weights') {
      return this.select(p.name, label, this.choices.dtypes, this.state.parameters[p.name] ?? 'bf16', set);
    }
    const kind = this.state.method;
    const ending = kind === 'eagle3' ? 'eagle3' : 'dflash';
    const options = kind === 'draft-model' ? this.choices.models : ['', ...this.choices.drafters];
    const usual = options.find((d) => d === `${this.state.model}-${ending}`) ?? options[0];
    const value = options.includes(this.state.parameters[p.name]) ? this.state.parameters[p.name] : usual;
    this.state.parameters[p.name] = value;
    return this.select(p.name, label, options, value, set, { '': 'not given' });
  }

  select(id, label, options, value, set, names = {}) {
    const select = element('select', { id });
    options.forEach((o) => {
      const option = element('option', { value: o }, String(names[o] ?? o));
      option.selected = String(o) === String(value);
      select.append(option);
    });
    select.onchange = () => set(select.value);
    return [element('label', { for: id }, label), select];
  }

  range(id, label, min, max, step, value, set) {
    const output = element('output', { for: id }, String(value));
    const range = element('input', { type: 'range', id, min, max, step });
    range.value = value;
    range.oninput = () => {
      output.textContent = range.value;
      set(Number(range.value));
    };
    return [element('label', { for: id }, label, output), range];
  }

  /** A slider over a list of values. */
  steps(id, label, values, value, set) {
    const output = element('output', { for: id }, String(value));
    const range = element('input', { type: 'range', id, min: 0, max: values.length - 1, step: 1 });
    const nearest = values.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(values[best] - value) ? i : best), 0);
    range.value = nearest;
    const show = () => {
      output.textContent = values[range.value];
      range.setAttribute('aria-valuetext', values[range.value]);
    };
    show();
    range.oninput = () => {
      show();
      set(values[range.value]);
    };
    return [element('label', { for: id }, label, output), range];
  }
}
