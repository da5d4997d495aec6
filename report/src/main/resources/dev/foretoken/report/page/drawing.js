// Draws the tree of a round: depth to the right, first choices straight on, paler nodes are reached less often.

const SVG = 'http://www.w3.org/2000/svg';
const COLUMN = 74;
const ROW = 20;

function shape(tag, attributes, text) {
  const e = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
  if (text !== undefined) {
    e.textContent = text;
  }
  return e;
}

export function drawTree(nodes) {
  const children = new Map([[-1, []]]);
  nodes.forEach((n, i) => {
    children.set(i, []);
    children.get(n.parent).push(i);
  });
  children.forEach((list) => list.sort((a, b) => nodes[a].rank - nodes[b].rank));
  const row = new Map();
  let rows = 0;
  const place = (i) => {
    const below = children.get(i);
    if (below.length === 0) {
      row.set(i, rows++);
      return;
    }
    below.forEach(place);
    row.set(i, row.get(below[0]));
  };
  place(-1);
  const depth = nodes.reduce((most, n) => Math.max(most, n.depth), 0);
  const width = (depth + 1) * COLUMN + 50;
  const height = Math.max(1, rows) * ROW + 16;
  const svg = shape('svg', {
    width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Draft tree of ${nodes.length} nodes, ${depth} deep`,
  });
  const x = (i) => 14 + (i < 0 ? 0 : nodes[i].depth) * COLUMN;
  const y = (i) => 16 + row.get(i) * ROW;
  nodes.forEach((n, i) => {
    const middle = (x(n.parent) + x(i)) / 2;
    svg.append(shape('path', {
      d: `M${x(n.parent)} ${y(n.parent)}C${middle} ${y(n.parent)} ${middle} ${y(i)} ${x(i)} ${y(i)}`,
      'stroke-opacity': Math.max(0.25, n.probability),
    }));
  });
  svg.append(shape('circle', { cx: x(-1), cy: y(-1), r: 5 }));
  nodes.forEach((n, i) => {
    const circle = shape('circle', { cx: x(i), cy: y(i), r: 5, 'fill-opacity': Math.sqrt(n.probability) });
    circle.append(shape('title', {}, `depth ${n.depth}, rank ${n.rank + 1}: reached with probability ${n.probability.toFixed(4)}`));
    svg.append(circle);
    svg.append(shape('text', { x: x(i) + 8, y: y(i) - 4 }, n.probability.toFixed(2)));
  });
  return svg;
}
