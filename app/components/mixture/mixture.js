// One word as a mixture: the slider leads from identity weights to those of the head, and the sum follows.

const PARTS = 5; // terms of the equation that are written out

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  mount.amount = slider({ label: "", min: 0, max: 1, step: 0.01, show: (value) => value.toFixed(2), onInput: (amount) => choose(mount, { amount }) });
  mount.layer = slider({ label: "", min: 0, max: 0, onInput: (layer) => choose(mount, { layer }) });
  mount.head = slider({ label: "", min: 0, max: 0, onInput: (head) => choose(mount, { head }) });
  $(".gf-mix-sliders").append(mount.amount.element, mount.layer.element, mount.head.element);
  Object.assign(mount, { list: $(".gf-mix-rows"), values: $(".gf-mix-values"), products: $(".gf-mix-products"), sum: $(".gf-mix-new"), scroll: $(".gf-mix-scroll"), readout: $(".gf-mix-readout") });
  mount.list.addEventListener("click", (event) => {
    const row = event.target.closest(".gf-mix-row");
    if (!row) return;
    mount.link.view = { ...mount.link.view, token: Number(row.dataset.at) };
    mark(mount);
    send(mount.link);
  });
  for (const canvas of [mount.values, mount.products]) {
    canvas.addEventListener("pointermove", (event) => point(mount, cellAt(canvas, event, mount.d, mount.scroll.scrollTop / ROW)));
    canvas.addEventListener("pointerleave", () => rest(mount));
  }
  mount.sum.addEventListener("pointermove", (event) => point(mount, { row: null, ...{ i: cellAt(mount.sum, event, mount.d).i } }));
  mount.sum.addEventListener("pointerleave", () => rest(mount));
  mount.scroll.addEventListener("scroll", () => { if (mount.now) strips(mount); });
  mount.observer = new ResizeObserver(() => {
    if (mount.values.clientWidth !== mount.width && mount.payload) paint(mount);
  });
  mount.observer.observe(mount.root);
}

function choose(mount, change) {
  const view = { ...mount.link.view, ...change };
  if (same(view, mount.link.view)) return;
  moved(mount.link, view);
  paint(mount);
}

// the numbers of the chosen head: the row as it is mixed now, the values, and their sum; null while they are on the way
function mix(mount) {
  const { header, arrays: { weights, values, mixed } } = mount.payload, { layer, head, amount } = mount.link.view;
  const [sent, heads, n] = weights.shape, groups = values.shape[1], d = values.shape[3], at = layer - header.first_layer;
  if (at < 0 || at >= sent) return null;
  const pattern = floats(weights, (at * heads + head) * n, n);
  const v = floats(values, (at * groups + Math.floor(head / (heads / groups))) * n * d, n * d);
  const row = Float64Array.from(pattern, (weight, k) => amount * weight + (k === header.at ? 1 - amount : 0));
  let sum = new Float64Array(d);
  if (amount === 1) sum = Float64Array.from(floats(mixed, (at * heads + head) * d, d)); // the model's own
  else for (let k = 0; k < n; k += 1) for (let i = 0; i < d; i += 1) sum[i] += row[k] * v[k * d + i];
  let most = 1e-12, mostProduct = 1e-12;
  for (let i = 0; i < v.length; i += 1) {
    most = Math.max(most, Math.abs(v[i]));
    mostProduct = Math.max(mostProduct, Math.abs(v[i]) * row[Math.floor(i / d)]);
  }
  for (let i = 0; i < d; i += 1) mostProduct = Math.max(mostProduct, Math.abs(sum[i]));
  return { row, v, sum, d, n, most, mostProduct };
}

function rest(mount) {
  mount.readout.replaceChildren(make("span", "gf-note", mount.payload.header.words.hint));
}

function mark(mount) {
  mount.rows.forEach((row, at) => row.setAttribute("aria-pressed", String(at === mount.link.view.token)));
}

// the rows that are in sight; the canvases stand still while the words scroll
function strips(mount) {
  const { row, v, sum, d, n, most, mostProduct } = mount.now, first = mount.scroll.scrollTop / ROW;
  mount.width = mount.values.clientWidth;
  if (!mount.width) return;
  const height = Math.min(n * ROW, mount.payload.header.height);
  paintStrips(mount.values, mount.width, height, first, n, d, (k, i) => v[k * d + i], most, mount.look);
  paintStrips(mount.products, mount.width, height, first, n, d, (k, i) => row[k] * v[k * d + i], mostProduct, mount.look);
  paintStrips(mount.sum, mount.width, ROW, 0, 1, d, (_, i) => sum[i], mostProduct, mount.look);
  for (const canvas of [mount.values, mount.products, mount.sum]) canvas.style.width = "";
}

function paint(mount) {
  const { header } = mount.payload, { words, tokens } = header, { layer, head, amount } = mount.link.view;
  const $ = (name) => mount.root.querySelector(name), equation = $(".gf-mix-equation");
  mount.amount.set(amount);
  mount.layer.set(layer);
  mount.head.set(head);
  mark(mount);
  const found = mix(mount);
  mount.now = found;
  if (!found) { equation.textContent = words.waiting; return; }
  const { row, v, sum, d, n, most, mostProduct } = found;
  mount.d = d;
  mount.rows.forEach((element, k) => {
    element.lastChild.firstChild.style.setProperty("--share", row[k]);
    element.lastChild.lastChild.textContent = weightText(row[k]);
  });
  strips(mount);
  const titles = $(".gf-mix-heads").children;
  titles[2].textContent = filled(words.value_title, { d, most: shortNumber(most) });
  titles[3].textContent = filled(words.product_title, { most: shortNumber(mostProduct) });
  $(".gf-mix-total").textContent = weightText(row.reduce((a, b) => a + b, 0));
  const label = say(mount, found, equation);
  for (const canvas of [mount.values, mount.products, mount.sum]) canvas.setAttribute("aria-label", label);
  mount.table.update(() => ({
    caption: label,
    heads: [words.key_column, words.token_column, words.weight_column, ...Array.from({ length: d }, (_, i) => `v[${i}]`)],
    lines: [
      ...tokens.map((token, k) => [String(k), token.text, weightText(row[k]), ...Array.from({ length: d }, (_, i) => v[k * d + i].toFixed(4))]),
      ["", words.sum_title, weightText(row.reduce((a, b) => a + b, 0)), ...Array.from(sum, (x) => x.toFixed(4))],
    ],
  }));
}

// "new light = 0.43 light + 0.21 bag + …", written and returned as a sentence
function say(mount, { row, n }, equation) {
  const { header } = mount.payload, { words, tokens } = header, { layer, head, amount } = mount.link.view;
  const order = Array.from(row.keys()).filter((k) => row[k] > 0.0005).sort((a, b) => row[b] - row[a] || a - b), top = order.filter((k) => row[k] >= 0.005).slice(0, PARTS);
  const start = make("span");
  write(start, `${words.new} `, { query: named(tokens[header.at], header.at) });
  const nodes = [start];
  top.forEach((k, at) => {
    const name = make("span");
    write(name, "{key}", { key: named(tokens[k], k) });
    nodes.push(document.createTextNode(at ? " + " : ""), make("b", "", row[k].toFixed(2)), document.createTextNode(" "), name);
  });
  if (order.length > top.length) nodes.push(document.createTextNode(` + ${filled(words.rest, { n: order.length - top.length })}`));
  nodes.push(make("span", "gf-note", amount === 0 ? words.identity : amount === 1 ? words.real : words.between));
  equation.replaceChildren(...nodes);
  const parts = top.map((k) => `${row[k].toFixed(2)} × ${tokens[k].text}`).join(" + ");
  return filled(words.picture_label, { layer, head, amount: amount.toFixed(2), query: tokens[header.at].text, parts: order.length > top.length ? `${parts} + …` : parts });
}

function point(mount, { row, i }) {
  const { words, tokens } = mount.payload.header, { now } = mount;
  if (!now) return;
  const { v, d } = now;
  if (row === null) write(mount.readout, words.sum_cell, { i, value: { token: weightText(now.sum[i]) } });
  else if (row < now.n) {
    const value = v[row * d + i];
    write(mount.readout, words.cell, { key: named(tokens[row], row), i, weight: weightText(now.row[row]), value: weightText(value), product: { token: weightText(now.row[row] * value) } });
  }
}

function fill(mount) {
  const { header, arrays } = mount.payload, { words, tokens } = header, $ = (name) => mount.root.querySelector(name);
  mount.amount.name(words.amount);
  mount.layer.name(words.layer);
  mount.head.name(words.head);
  mount.layer.range(0, header.n_layers - 1);
  mount.head.range(0, arrays.weights.shape[1] - 1);
  mount.root.style.setProperty("--gf-height", `${header.height}px`);
  [words.word_title, words.weight_title].forEach((title, at) => { $(".gf-mix-heads").children[at].textContent = title; });
  mount.rows = tokens.map((token, at) => {
    const row = make("button", "gf-mix-row"), weight = make("span", "gf-mix-weight"), name = make("bdi", "", token.text);
    row.type = "button";
    row.dataset.at = at;
    row.title = `#${at} ${token.text} · ${words.choose}`;
    if (token.special) row.dataset.special = "";
    weight.append(make("i"), make("span"));
    row.append(name, weight);
    return row;
  });
  mount.list.replaceChildren(...mount.rows);
  const sum = $(".gf-mix-sum");
  sum.firstChild.textContent = words.sum_title;
  sum.children[2].textContent = words.sum_note;
  rest(mount);
  if (!mount.table) mount.table = rowTable($(".gf-details"), words);
  const scroll = $(".gf-mix-scroll"), top = header.at * ROW;
  if (top < scroll.scrollTop || top > scroll.scrollTop + header.height - ROW) scroll.scrollTop = top - header.height / 2;
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  mount.payload = mount.link.payload;
  mount.look = look(mount.root);
  if (got.fresh) fill(mount);
  paint(mount);
  mount.root.__glassformer = mount;
  return ending(mount, () => mount.observer.disconnect());
}
