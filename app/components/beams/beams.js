// The tree of a beam search: a column for each step, the likeliest on top, a line from each token to what it followed.

const SVG = "http://www.w3.org/2000/svg", TOP = 24, BOX = 36, LEFT = 8;

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  Object.assign(mount, { tree: $(".gf-tree"), readout: $(".gf-readout"), on: null, width: 0 });
  const over = (event) => {
    const node = event.target.closest(".gf-node");
    point(mount, node ? Number(node.dataset.at) : null);
  };
  mount.tree.addEventListener("pointerover", over);
  mount.tree.addEventListener("pointerleave", () => point(mount, null));
  mount.tree.addEventListener("keydown", (event) => walk(mount, event));
  mount.observer = new ResizeObserver(() => { if (mount.header && mount.tree.clientWidth !== mount.width) drawTree(mount); });
  mount.observer.observe(mount.tree);
}

function element(name, attributes, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function word(className, x, y, text) {
  return element("text", { class: className, x, y, "text-anchor": "middle" }, text);
}

// up and down in a step, left to what it followed, right to the likeliest that follows
function walk(mount, event) {
  const { nodes } = mount, node = mount.on === null ? null : nodes[mount.on];
  const find = {
    ArrowUp: () => nodes.findIndex((each) => each.step === node.step && each.place === node.place - 1),
    ArrowDown: () => nodes.findIndex((each) => each.step === node.step && each.place === node.place + 1),
    ArrowLeft: () => node.parent,
    ArrowRight: () => nodes.findIndex((each) => each.parent === mount.on),
  }[event.key];
  if (event.key === "Escape") return point(mount, null);
  if (!find) return undefined;
  event.preventDefault();
  const next = node ? find() : 0;
  if (next < 0 || next === null) return undefined;
  point(mount, next);
  const box = mount.boxes[next].getBoundingClientRect(), frame = mount.tree.getBoundingClientRect();
  if (box.left < frame.left) mount.tree.scrollLeft -= frame.left - box.left + 20;
  if (box.right > frame.right) mount.tree.scrollLeft += box.right - frame.right + 20;
  if (box.top < frame.top) mount.tree.scrollTop -= frame.top - box.top + 30;
  if (box.bottom > frame.bottom) mount.tree.scrollTop += box.bottom - frame.bottom + 20;
  return undefined;
}

function lineOf(mount, at) {
  const line = [];
  for (let i = at; i !== null; i = mount.nodes[i].parent) line.unshift(i);
  return line;
}

function fateOf(node, words) {
  if (node.fate === "finished") return node.ended ? words.finished : words.cut;
  return node.fate === "kept" ? words.kept : words.dropped;
}

function logText(value) {
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1).replace("-", "−");
}

function point(mount, at) {
  if (at === mount.on) return;
  mount.on = at;
  const line = new Set(at === null ? [] : lineOf(mount, at));
  mount.boxes.forEach((box, i) => {
    box.toggleAttribute("data-on", line.has(i));
    mount.links[i].toggleAttribute("data-on", line.has(i));
    for (const each of [box, mount.links[i]]) if (at !== null && !line.has(i)) each.setAttribute("data-kin", "no"); else each.removeAttribute("data-kin");
  });
  describe(mount);
}

function describe(mount) {
  const { on, nodes, header, arrays } = mount, { words } = header;
  if (on === null) {
    mount.readout.textContent = words.hint;
    return;
  }
  write(mount.readout, words.node, { text: { token: nodes[on].text }, logprob: logText(arrays.logprobs.data[on]), fate: fateOf(nodes[on], words) });
}

function drawTree(mount) {
  const { header, nodes, arrays, tree } = mount, { words, n_steps } = header, { width } = header;
  mount.width = tree.clientWidth;
  if (!mount.width) return;
  const most = 1 + Math.max(...nodes.map((node) => node.place)), pitch = 42;
  const column = Math.min(150, Math.max(98, (mount.width - 12 - LEFT) / n_steps)), box = column - 22;
  const W = LEFT + column * n_steps + 4, H = TOP + most * pitch + 4, svg = element("svg", { width: W, height: H, viewBox: `0 0 ${W} ${H}` });
  const x = (node) => LEFT + node.step * column, y = (node) => TOP + node.place * pitch;
  for (let s = 0; s < n_steps; s += 1) svg.append(word("gf-column", LEFT + s * column + box / 2, 15, filled(words.step, { n: s })));
  mount.links = nodes.map((node) => {
    const from = node.parent === null ? null : nodes[node.parent], link = element("path", { "data-fate": node.fate });
    if (from) {
      const a = x(from) + box, b = y(from) + BOX / 2, c = x(node), d = y(node) + BOX / 2, half = (a + c) / 2;
      link.setAttribute("d", `M${a} ${b}C${half} ${b} ${half} ${d} ${c} ${d}`);
    }
    if (node.best) link.setAttribute("data-best", "");
    return link;
  });
  svg.append(...[...mount.links].sort((a, b) => a.hasAttribute("data-best") - b.hasAttribute("data-best")));
  const ctx = document.createElement("canvas").getContext("2d");
  ctx.font = `600 16px ${mount.look.font}`;
  mount.boxes = nodes.map((node, at) => {
    const group = element("g", { class: "gf-node", "data-at": at, "data-fate": node.fate, transform: `translate(${x(node)} ${y(node)})` });
    group.append(element("rect", { width: box, height: BOX, rx: 7 }));
    if (node.fate === "finished") group.append(element("rect", { class: "gf-inner", x: 3, y: 3, width: box - 6, height: BOX - 6, rx: 5 }));
    const sign = node.fate === "finished" ? (node.ended ? "■ " : "… ") : node.fate === "dropped" ? "× " : "";
    group.append(word("gf-node-token", box / 2, 16, fitted(ctx, node.token, box - 12)), word("gf-node-number", box / 2, 31, sign + logText(arrays.logprobs.data[at])));
    if (node.best) group.setAttribute("data-best", "");
    if (node.greedy) group.append(element("circle", { class: "gf-greedy-mark", cx: 3, cy: 4, r: 9 }), word("gf-greedy-letter", 3, 8, "G"));
    return group;
  });
  svg.append(...mount.boxes);
  tree.replaceChildren(svg);
  const values = { width, n: n_steps, best: header.texts[0].text, score: header.texts[0].score.toFixed(3) };
  tree.setAttribute("aria-label", filled(words.tree_label, values));
}

function fill(mount) {
  const { header, arrays } = mount, { words, texts } = header, $ = (name) => mount.root.querySelector(name);
  mount.nodes = header.nodes;
  mount.on = null;
  const key = (fate, text, letter = "") => {
    const span = make("span");
    span.dataset.fate = fate;
    span.append(make("i", "", letter), text);
    return span;
  };
  $(".gf-legend").replaceChildren(key("best", words.best), key("kept", words.kept), key("finished", `■ ${words.finished}`), key("dropped", `× ${words.dropped}`), key("greedy", words.greedy, "G"));
  $(".gf-texts .gf-title").textContent = words.texts;
  $(".gf-texts ol").replaceChildren(...texts.map((text, at) => {
    const item = make("li");
    if (text.greedy) item.append(make("i", "gf-mark", "G"));
    item.append(make("span", "", filled(words.score, { score: logText(text.score), logprob: logText(text.logprob), count: text.count })));
    item.append(make("bdi", "", text.text || "∅"));
    item.toggleAttribute("data-first", at === 0);
    return item;
  }));
  const said = $(".gf-greedy");
  said.hidden = texts.some((text) => text.greedy);
  write(said, words.greedy_text, { text: { token: header.greedy_text || "∅" }, logprob: logText(arrays.greedy.data[0]) });
  said.prepend(make("i", "gf-mark", "G"));
  if (!mount.table) mount.table = rowTable($(".gf-details"), words);
  mount.table.update(() => ({
    caption: mount.tree.getAttribute("aria-label"),
    heads: [words.step_column, words.token_column, words.logprob_column, words.fate_column, words.line_column],
    lines: mount.nodes.map((node, at) => [String(node.step), node.token, arrays.logprobs.data[at].toFixed(4), fateOf(node, words), node.text]),
  }));
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  Object.assign(mount, { header: mount.link.payload.header, arrays: mount.link.payload.arrays, look: look(mount.root) });
  if (got.fresh) fill(mount);
  if (got.fresh || mount.drawnLook !== mount.look.id) drawTree(mount);
  mount.drawnLook = mount.look.id;
  describe(mount);
  mount.root.__glassformer = mount;
  return ending(mount, () => mount.observer.disconnect());
}
